//! Under which licences the dependencies come.

use crate::packages::{Package, resolved};

/// Licences that the product may be built with.
const ALLOWED: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Packages under another licence, each with the licence and why it is here.
const NAMED: [(&str, &str); 1] = [
    // A dependency of abi_stable. MPL-2.0 asks for the source of its own files only, which are unchanged.
    ("generational-arena", "MPL-2.0"),
];

/// Whether one may use something under this SPDX expression, given what is allowed.
fn acceptable(expression: &str, allowed: &dyn Fn(&str) -> bool) -> Result<bool, String> {
    let tokens = tokens(expression);
    let mut parser = Parser { tokens: &tokens, allowed };
    let verdict = parser.any()?;
    match parser.tokens {
        [] => Ok(verdict),
        [rest, ..] => Err(format!("`{rest}` stands where nothing is expected")),
    }
}

/// Parentheses and the old `/`, which means OR, are tokens of their own.
fn tokens(expression: &str) -> Vec<String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

struct Parser<'a> {
    tokens: &'a [String],
    allowed: &'a dyn Fn(&str) -> bool,
}

impl Parser<'_> {
    fn any(&mut self) -> Result<bool, String> {
        let mut verdict = self.all()?;
        while self.take("OR") {
            verdict |= self.all()?;
        }
        Ok(verdict)
    }

    fn all(&mut self) -> Result<bool, String> {
        let mut verdict = self.one()?;
        while self.take("AND") {
            verdict &= self.one()?;
        }
        Ok(verdict)
    }

    fn one(&mut self) -> Result<bool, String> {
        if self.take("(") {
            let verdict = self.any()?;
            return if self.take(")") { Ok(verdict) } else { Err("a parenthesis is not closed".to_owned()) };
        }
        let name = self.name()?;
        if self.take("WITH") {
            let exception = self.name()?;
            // The licence with an exception grants more than the one without.
            return Ok((self.allowed)(&format!("{name} WITH {exception}")) || (self.allowed)(&name));
        }
        Ok((self.allowed)(&name))
    }

    fn name(&mut self) -> Result<String, String> {
        match self.tokens {
            [name, rest @ ..] if !["(", ")", "OR", "AND", "WITH"].contains(&name.as_str()) => {
                self.tokens = rest;
                Ok(name.clone())
            }
            _ => Err("a licence is missing".to_owned()),
        }
    }

    fn take(&mut self, wanted: &str) -> bool {
        match self.tokens {
            [first, rest @ ..] if first == wanted => {
                self.tokens = rest;
                true
            }
            _ => false,
        }
    }
}

fn refused(packages: &[Package]) -> Vec<String> {
    let mut problems = Vec::new();
    for package in packages {
        let Some(licence) = &package.licence else {
            problems.push(format!("{}: its manifest names no licence", package.name));
            continue;
        };
        let allowed = |one: &str| ALLOWED.contains(&one) || NAMED.contains(&(package.name.as_str(), one));
        match acceptable(licence, &allowed) {
            Ok(true) => {}
            Ok(false) => {
                problems.push(format!("{}: `{licence}` is not on the list of licences", package.name))
            }
            Err(error) => {
                problems.push(format!("{}: `{licence}` is no SPDX expression: {error}", package.name))
            }
        }
    }
    problems
}

/// The only registry that packages may come from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn foreign(packages: &[Package]) -> Vec<String> {
    let elsewhere = packages.iter().filter_map(|package| Some((&package.name, package.source.as_ref()?)));
    let elsewhere = elsewhere.filter(|(_, source)| *source != REGISTRY);
    elsewhere.map(|(name, source)| format!("{name}: comes from {source}, not from crates.io")).collect()
}

#[test]
fn every_dependency_has_a_licence_that_is_allowed() {
    let packages = resolved();
    assert!(packages.len() > 50, "{} packages are not all", packages.len());
    crate::assert_none(&refused(packages));
}

#[test]
fn every_dependency_comes_from_crates_io() {
    crate::assert_none(&foreign(resolved()));
}

#[test]
fn expressions_are_read_as_spdx_means_them() {
    let mit = |one: &str| ["MIT", "A", "B WITH e"].contains(&one);
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("MIT AND GPL-3.0", false),
        // AND binds stronger than OR.
        ("MIT OR A AND GPL-3.0", true),
        ("GPL-3.0 AND A OR MIT", true),
        ("(MIT OR A) AND GPL-3.0", false),
        ("(GPL-3.0 OR (MIT)) AND A", true),
        ("B", false),
        ("B WITH e", true),
        ("MIT WITH e", true),
        ("mit", false),
    ] {
        assert_eq!(acceptable(expression, &mit), Ok(expected), "{expression}");
    }
    for broken in ["", "MIT OR", "(MIT", "MIT)", "MIT A", "OR MIT", "MIT WITH"] {
        assert!(acceptable(broken, &mit).is_err(), "{broken}");
    }
}

#[test]
fn a_licence_or_a_source_that_is_not_allowed_is_seen() {
    let package = |name: &str, licence: Option<&str>, source: &str| Package {
        licence: licence.map(str::to_owned),
        source: Some(source.to_owned()),
        ..Package::of(name)
    };
    let git = "git+https://example.org/a";
    crate::assert_one(&refused(&[package("a", Some("AGPL-3.0 AND MIT"), REGISTRY)]), "not on the list");
    crate::assert_one(&refused(&[package("a", Some("MPL-2.0"), REGISTRY)]), "not on the list");
    crate::assert_one(&refused(&[package("a", None, REGISTRY)]), "no licence");
    crate::assert_one(&foreign(&[package("a", Some("MIT"), git), package("b", Some("MIT"), REGISTRY)]), git);
}

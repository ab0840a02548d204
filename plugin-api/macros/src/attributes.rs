//! What stands in the parentheses of `#[tool(...)]` and `#[arg(...)]`, and doc comments.

use proc_macro2::{Span, TokenStream};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, ExprLit, Ident, Lit, LitBool, LitStr, Meta, Path, Result, Token, Type};

/// The classes, weakest first, as stud-contract spells them.
const CLASSES: [&str; 5] = ["none", "read", "write", "execute", "network"];

/// The settings of one `#[tool(...)]`.
pub(crate) struct ToolSettings {
    pub(crate) side_effects: String,
    pub(crate) name: Option<LitStr>,
    pub(crate) other_names: Vec<LitStr>,
    pub(crate) gated: Option<bool>,
    pub(crate) always_require_approval: bool,
    pub(crate) requires_workspace: bool,
    pub(crate) parallel_safe: bool,
    pub(crate) category: Option<LitStr>,
    pub(crate) config: Option<Type>,
    pub(crate) approval_key: Option<Path>,
    pub(crate) env: Vec<LitStr>,
    pub(crate) capabilities: Vec<LitStr>,
    pub(crate) examples: Vec<TokenStream>,
}

impl Parse for ToolSettings {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut side_effects = None;
        let mut settings = ToolSettings {
            side_effects: String::new(),
            name: None,
            other_names: Vec::new(),
            gated: None,
            always_require_approval: false,
            requires_workspace: true,
            parallel_safe: true,
            category: None,
            config: None,
            approval_key: None,
            env: Vec::new(),
            capabilities: Vec::new(),
            examples: Vec::new(),
        };
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            match key.to_string().as_str() {
                "side_effects" => side_effects = Some(class(&value(input)?)?),
                "name" => settings.name = Some(checked_name(value(input)?)?),
                "other_names" => {
                    settings.other_names =
                        list(input)?.into_iter().map(checked_name).collect::<Result<_>>()?;
                }
                "gated" => settings.gated = Some(flag(input)?),
                "always_require_approval" => settings.always_require_approval = flag(input)?,
                "requires_workspace" => settings.requires_workspace = flag(input)?,
                "parallel_safe" => settings.parallel_safe = flag(input)?,
                "category" => settings.category = Some(value(input)?),
                "config" => settings.config = Some(value(input)?),
                "approval_key" => settings.approval_key = Some(value(input)?),
                "env" => settings.env = list(input)?,
                "capabilities" => settings.capabilities = list(input)?,
                "examples" => settings.examples = examples(input)?,
                other => {
                    let message =
                        format!("`{other}` is no setting of #[tool]; the documentation of `tool` lists them");
                    return Err(Error::new(key.span(), message));
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        settings.side_effects = side_effects.ok_or_else(|| {
            Error::new(Span::call_site(), "say what the tool can do at most: side_effects = \"none\", \"read\", \"write\", \"execute\" or \"network\"")
        })?;
        Ok(settings)
    }
}

fn value<T: Parse>(input: ParseStream<'_>) -> Result<T> {
    input.parse::<Token![=]>()?;
    input.parse()
}

/// `key` alone means true, `key = false` is possible.
fn flag(input: ParseStream<'_>) -> Result<bool> {
    if input.peek(Token![=]) { Ok(value::<LitBool>(input)?.value) } else { Ok(true) }
}

fn list(input: ParseStream<'_>) -> Result<Vec<LitStr>> {
    let content;
    syn::parenthesized!(content in input);
    Ok(Punctuated::<LitStr, Token![,]>::parse_terminated(&content)?.into_iter().collect())
}

fn examples(input: ParseStream<'_>) -> Result<Vec<TokenStream>> {
    let content;
    syn::parenthesized!(content in input);
    let groups = Punctuated::<proc_macro2::Group, Token![,]>::parse_terminated(&content)?;
    Ok(groups.into_iter().map(|group| proc_macro2::TokenTree::Group(group).into()).collect())
}

fn class(text: &LitStr) -> Result<String> {
    let value = text.value();
    if CLASSES.contains(&value.as_str()) {
        return Ok(value);
    }
    Err(Error::new(text.span(), format!("`{value}` is no side-effect class: use {}", CLASSES.join(", "))))
}

/// Refuses early what the host would refuse when it loads the plugin.
pub(crate) fn checked_name(name: LitStr) -> Result<LitStr> {
    let text = name.value();
    let good = text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && text.len() <= 64;
    if good {
        return Ok(name);
    }
    let message = format!("`{text}` is no tool name: one matches [a-z][a-z0-9_]{{0,63}}");
    Err(Error::new(name.span(), message))
}

/// The settings of one `#[arg(...)]`.
#[derive(Default)]
pub(crate) struct ArgSettings {
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) default: Option<Option<Expr>>,
    pub(crate) min: Option<Expr>,
    pub(crate) max: Option<Expr>,
}

/// Takes the `#[arg(...)]` attributes out of the list.
pub(crate) fn take_arg_settings(attributes: &mut Vec<Attribute>) -> Result<ArgSettings> {
    let mut settings = ArgSettings::default();
    let mut kept = Vec::new();
    for attribute in attributes.drain(..) {
        if !attribute.path().is_ident("arg") {
            kept.push(attribute);
            continue;
        }
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("alias") {
                settings.aliases = list(meta.input)?;
            } else if meta.path.is_ident("default") {
                let given = meta.input.peek(Token![=]);
                settings.default = Some(if given { Some(meta.value()?.parse()?) } else { None });
            } else if meta.path.is_ident("min") {
                settings.min = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("max") {
                settings.max = Some(meta.value()?.parse()?);
            } else {
                return Err(
                    meta.error("#[arg] takes alias(\"…\"), default, default = …, min = … and max = …")
                );
            }
            Ok(())
        })?;
    }
    *attributes = kept;
    Ok(settings)
}

/// The text of a doc comment: lines joined, one leading space removed.
pub(crate) fn docs(attributes: &[Attribute], what: &dyn Spanned) -> Result<String> {
    let lines: Vec<String> = attributes
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
                _ => None,
            },
            _ => None,
        })
        .map(|line| line.strip_prefix(' ').unwrap_or(&line).trim_end().to_owned())
        .collect();
    let text = lines.join("\n").trim().to_owned();
    if text.is_empty() {
        let message = "a tool needs a doc comment: it is the description that the model reads";
        return Err(Error::new(what.span(), message));
    }
    Ok(text)
}

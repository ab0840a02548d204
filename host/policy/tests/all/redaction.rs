use stud_policy::{REDACTED, Redactor};

const SECRETS: &[&str] = &[
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "github_pat_11ABCDEFG0123456789abcdef",
    "glpat-abcdefghij0123456789",
    "xoxb-123456789012-abcdefghij",
    "sk-ant-api03-abcdefghijklmnopqrstuv",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijk",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
];

#[test]
fn d9_patterns() {
    let redactor = Redactor::default();
    for secret in SECRETS {
        let text = format!("before {secret} after");
        assert_eq!(redactor.redact(&text), format!("before {REDACTED} after"), "{secret}");
    }
    for (text, expected) in [
        ("Authorization: Bearer abcdef123456", "Authorization: Bearer [redacted]"),
        ("password=hunter22", "password=[redacted]"),
        ("DB_PASSWORD: 'hunter22'", "DB_PASSWORD: '[redacted]'"),
        ("{\"api_key\": \"abcd1234\"}", "{\"api_key\": \"[redacted]\"}"),
        ("{\\\"token\\\": \\\"abcd1234\\\"}", "{\\\"token\\\": \\\"[redacted]\\\"}"),
        ("mysql --password hunter22 x", "mysql --password [redacted] x"),
        ("https://me:hunter22@host/x", "https://me:[redacted]@host/x"),
        ("postgres://u:p@h/db", "postgres://u:[redacted]@h/db"),
        ("a -----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY----- b", "a [redacted] b"),
    ] {
        assert_eq!(redactor.redact(text), expected);
    }
    for innocent in [
        "git log --oneline",
        "the password is asked for",
        "fn token(&self) -> Token",
        "https://host/a:b@c",
        "key = 1",
        "let secret = read()?;",
    ] {
        assert_eq!(redactor.redact(innocent), innocent);
    }
}

#[test]
fn d9_known_values_in_their_encodings() {
    let redactor = Redactor::new(["correct horse", "correct horse battery", "short", "pa\"ss\\word"]);
    assert_eq!(
        redactor.redact("a correct horse battery b correct horse c short"),
        "a [redacted] b [redacted] c short"
    );
    assert_eq!(redactor.redact("x=correct%20horse&"), "x=[redacted]&");
    assert_eq!(redactor.redact(r#"{"x":"pa\"ss\\word"}"#), r#"{"x":"[redacted]"}"#);
    // Base64 of "user:correct horse battery".
    assert!(redactor.redact("dXNlcjpjb3JyZWN0IGhvcnNlIGJhdHRlcnk=").contains(REDACTED));
    assert!(matches!(redactor.redact("nothing"), std::borrow::Cow::Borrowed(_)));
    assert_eq!(Redactor::new(["", " ", "abc"]).redact("abc"), "abc");
}

fn streamed(redactor: &Redactor, bytes: &[u8], size: usize) -> String {
    let mut stream = redactor.stream();
    let mut out: String = bytes.chunks(size).map(|chunk| stream.push(chunk)).collect();
    out.push_str(&stream.finish());
    out
}

#[test]
fn d9_a_secret_across_pieces() {
    let redactor = Redactor::new(["known secret value", "two\nlines of it"]);
    let plain = Redactor::new(["known secret value"]);
    let filler = "é words ".repeat(4200);
    for secret in SECRETS.iter().copied().chain([
        "known secret value",
        "password=hunter2222",
        "-----BEGIN PRIVATE KEY-----\nabc\ndef\n-----END PRIVATE KEY-----",
    ]) {
        for end in ["", "\n", " x\ny\n"] {
            let text = format!("{filler} {secret} {end}{filler}\nlast {secret}");
            for size in [1, 7, 1000, 16 * 1024, 100_000] {
                // Every piece looks at what is held, so small ones are slow: one secret of each kind will do.
                if size < 1000 && (end != "\n" || secret.starts_with("x") || secret.contains('_')) {
                    continue;
                }
                assert_eq!(streamed(&plain, text.as_bytes(), size), plain.redact(&text), "{secret} {size}");
            }
            assert_eq!(streamed(&redactor, text.as_bytes(), 1000), redactor.redact(&text));
        }
    }
    assert_eq!(streamed(&redactor, b"a two\nlines of it b", 3), "a [redacted] b");
}

/// Without an end of a line the stream gives out all but the last bytes it holds. Secrets stand without a gap, and are
/// moved on by three bytes, so that whatever the place is, it falls all over one.
#[test]
fn d9_the_cut_in_a_long_line_spares_secrets() {
    let redactor = Redactor::new(["known secret value"]);
    for secret in SECRETS.iter().copied().chain(["known secret value", "password=hunter2222"]) {
        let unit = format!("{secret} ");
        let secrets = unit.repeat(36_000 / unit.len());
        let expected = redactor.redact(&secrets);
        for moved in (0..unit.len()).step_by(3) {
            let text = format!("{}{secrets}", " ".repeat(moved));
            let mut stream = redactor.stream();
            let first = stream.push(text.as_bytes());
            assert!(!first.is_empty() && first.len() < expected.len(), "nothing was cut");
            assert_eq!(format!("{first}{}", stream.finish()).trim_start(), expected, "{secret} {moved}");
        }
    }
}

#[test]
fn d9_whole_lines_are_not_held_back() {
    let mut stream = Redactor::default().stream();
    assert_eq!(stream.push(b"one\ntwo"), "one\n");
    assert_eq!(stream.push(b" more\n\xff\n"), "two more\n\u{fffd}\n");
    assert_eq!(stream.push(b"-----BEGIN PRIVATE KEY-----\nabc\n"), "");
    assert_eq!(stream.push(b"-----END PRIVATE KEY-----\nx\n"), "[redacted]\nx\n");
}

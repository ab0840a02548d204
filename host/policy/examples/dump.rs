#![allow(missing_docs, clippy::all, reason="x")]
fn show(n: tree_sitter::Node<'_>, s: &str, out: &mut String) {
    if n.is_missing() { out.push_str("MISSING:"); }
    if n.child_count()==0 { out.push_str(&format!("{}{:?}", if n.is_named(){n.kind()}else{""}, &s[n.byte_range()])); return; }
    out.push_str(&format!("({}", n.kind()));
    let mut c = n.walk();
    for ch in n.children(&mut c) { out.push(' '); show(ch, s, out); }
    out.push(')');
}
fn main() {
    let mut p = tree_sitter::Parser::new();
    p.set_language(&tree_sitter_bash::LANGUAGE.into()).unwrap();
    let src = std::fs::read_to_string("/tmp/policy-cases.txt").unwrap();
    for s in src.split("\n--\n") {
        let t = p.parse(s, None).unwrap();
        let mut o = String::new();
        show(t.root_node(), s, &mut o);
        println!("{s}\n    {o}");
    }
    for s in ["a ".repeat(500_000), "(".repeat(100_000), "$(".repeat(50_000), "'\"".repeat(100_000), "<<a ".repeat(20_000), "a|".repeat(100_000), "if x; then ".repeat(20000), "{ ".repeat(50000), "a(){ ".repeat(20000), "`".repeat(100001), "\"$(".repeat(50000), "case x in ".repeat(20000), "[[ ".repeat(20000), "((".repeat(30000), "a=(".repeat(30000),"${a:-".repeat(30000), "@@@(((%%)".repeat(10000)] {
        let now = std::time::Instant::now();
        let mut n = 0u64;
        let mut cb = |_: &tree_sitter::ParseState| { n += 1; if now.elapsed().as_secs() >= 3 { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) } };
        let opts = tree_sitter::ParseOptions::new().progress_callback(&mut cb);
        let t = p.parse_with_options(&mut |i, _| if i < s.len() { &s.as_bytes()[i..] } else { &[] }, None, Some(opts));
        println!("{:?} len {} {:?} cb {n} none {}", &s[..8], s.len(), now.elapsed(), t.is_none());
        p.reset();
    }
}

/// The names that somebody who wrote `wanted` may have meant, best first, at most `most`.
pub(crate) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    // Names of hostile length are not compared letter by letter.
    let wanted: String = wanted.chars().take(128).collect();
    let mut scored: Vec<(f64, &str)> = names
        .map(|name| {
            let contained = !wanted.is_empty() && (name.contains(&wanted) || wanted.contains(name));
            let similarity = strsim::jaro_winkler(&wanted, name);
            (if contained { similarity.max(0.9) } else { similarity }, name)
        })
        .filter(|(score, _)| *score >= 0.75)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(most).map(|(_, name)| name).collect()
}

//! What a patch that found nothing was probably meant for.

use super::error::NearLine;

/// How many lines are named.
const MAX_HINTS: usize = 3;

/// How much of a line is compared and shown, in characters.
const MAX_CHARS: usize = 200;

/// Below this share of equal characters two lines do not look alike to anybody.
const LEAST_SIMILARITY: f64 = 0.6;

/// The work a hint is worth, in compared pairs of characters: some tens of milliseconds.
const MAX_PAIRS: usize = 20_000_000;

/// The lines of `text` most like what `old` was looking for, best first.
///
/// Where the first line of `old` is found, white space aside, the first line after it that differs is named, since
/// that is the one to correct. Else lines that resemble the first one are.
pub(super) fn nearest(text: &str, old: &str) -> Vec<NearLine> {
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = old.lines().skip_while(|line| line.trim().is_empty()).collect();
    let Some(first) = wanted.first().map(|line| line.trim()) else { return Vec::new() };
    let first: Vec<char> = first.chars().take(MAX_CHARS).collect();

    let mut hits: Vec<(f64, NearLine)> = Vec::new();
    let mut pairs = 0usize;
    for (index, line) in lines.iter().enumerate() {
        let candidate: Vec<char> = line.trim().chars().take(MAX_CHARS).collect();
        let (score, at) = if candidate == first {
            let (matched, at) = first_difference(&lines[index..], &wanted);
            // The more lines agree, the better; all of them beat any that only resembles the first.
            (1.0 + matched as f64, index + at)
        } else {
            let (short, long) = (candidate.len().min(first.len()), candidate.len().max(first.len()));
            pairs += 1 + short * long;
            // Even if all the shorter line were in the longer one, it would not be similar enough.
            if (short as f64) < LEAST_SIMILARITY * long as f64 || pairs > MAX_PAIRS {
                continue;
            }
            let distance = strsim::generic_levenshtein(&candidate, &first);
            (1.0 - distance as f64 / long as f64, index)
        };
        if score < LEAST_SIMILARITY {
            continue;
        }
        let rank = hits.iter().position(|(other, _)| *other < score).unwrap_or(hits.len());
        if rank < MAX_HINTS {
            let line = lines.get(at).copied().unwrap_or_default();
            let wanted = wanted.get(at - index).copied().unwrap_or_default();
            let text = line.chars().take(MAX_CHARS).collect();
            let whitespace_only = without_space(line).eq(without_space(wanted));
            hits.insert(rank, (score, NearLine { line: at + 1, text, whitespace_only }));
            hits.truncate(MAX_HINTS);
        }
    }
    hits.into_iter().map(|(_, near)| near).collect()
}

/// How many lines agree, white space around them aside, and which is the first that is not exactly the same: the
/// first whose words differ, or if there is none, the first whose white space does.
fn first_difference(lines: &[&str], wanted: &[&str]) -> (usize, usize) {
    let agreeing = lines.iter().zip(wanted).take_while(|(line, wanted)| line.trim() == wanted.trim()).count();
    if agreeing < wanted.len() && agreeing < lines.len() {
        return (agreeing, agreeing);
    }
    let spaced = lines.iter().zip(wanted).position(|(line, wanted)| line != wanted);
    (agreeing, spaced.unwrap_or(0))
}

fn without_space(line: &str) -> impl Iterator<Item = char> {
    line.chars().filter(|c| !c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, old: &str, expected: &[(usize, bool)]) {
        let near: Vec<_> =
            nearest(text, old).into_iter().map(|near| (near.line, near.whitespace_only)).collect();
        assert_eq!(near, expected);
    }

    #[test]
    fn w1_hint_names_the_line_that_differs() {
        let text = "fn main() {\n    let a = 1;\n    println!(\"{a}\");\n}\n";
        check(text, "let b = 1;", &[(2, false)]);
        check(text, "\tlet a = 1;", &[(2, true)]);
        check(text, "fn main() {\n  let a = 1;\n", &[(2, true)]);
        check(text, "fn main() {\n    let a = 2;\n", &[(2, false)]);
        check(text, "let a = 1;\nprintln!(\"{a}\");\n", &[(2, true)]);
        check(text, "something else entirely", &[]);
        check(text, "\n \n", &[]);
        check("", "a", &[]);
    }

    #[test]
    fn w1_hint_ranks_by_likeness_and_stops_at_three() {
        check(
            "abcdefgx\nabcdxxgh\nabcdefghi\nabcdefgh \nnothing",
            " abcdefgh",
            &[(4, true), (3, false), (1, false)],
        );
    }

    #[test]
    fn w1_hint_on_a_huge_file_ends_soon() {
        let text = "the quick brown fox jumps over the lazy dog, again and again\n".repeat(500_000);
        let before = std::time::Instant::now();
        assert_eq!(nearest(&text, "the quick brown fox jumped over the lazy dog, again and again").len(), 3);
        assert!(before.elapsed() < std::time::Duration::from_secs(20), "took {:?}", before.elapsed());
    }
}

use super::*;

fn text(capture: &Capture) -> String {
    capture.text(&[Stream::Stdout, Stream::Stderr])
}

#[test]
fn both_streams_are_kept_in_order_of_arrival() {
    let mut capture = Capture::new(1 << 20);
    capture.push(Stream::Stdout, b"one\n");
    capture.push(Stream::Stderr, b"two\n");
    capture.push(Stream::Stdout, b"three\n");
    assert_eq!(text(&capture), "one\ntwo\nthree\n");
    assert_eq!(capture.text(&[Stream::Stderr]), "two\n");
    assert_eq!((capture.total(Stream::Stdout), capture.total(Stream::Stderr), capture.dropped()), (10, 4, 0));
}

#[test]
fn a_character_split_between_reads_stays_whole() {
    let mut capture = Capture::new(1 << 20);
    for byte in "aé漢🦀".bytes() {
        capture.push(Stream::Stdout, &[byte]);
        capture.push(Stream::Stderr, b".");
    }
    assert_eq!(capture.text(&[Stream::Stdout]), "aé漢🦀");
    assert!(!text(&capture).contains('\u{FFFD}'), "{}", text(&capture));
}

#[test]
fn invalid_utf8_and_nul_are_kept_as_far_as_text_can() {
    let mut capture = Capture::new(1 << 20);
    capture.push(Stream::Stdout, b"a\xFF\xC3(\x00b\xE2\x82");
    assert_eq!(text(&capture), "a\u{FFFD}\u{FFFD}(\0b\u{FFFD}");
}

#[test]
fn d7_beginning_and_end_are_kept_and_the_rest_is_counted() {
    let mut capture = Capture::new(8000);
    for number in 0..100_000 {
        capture.push(Stream::Stdout, format!("line {number}\n").as_bytes());
    }
    capture.push(Stream::Stderr, b"an error\n");
    let text = text(&capture);
    assert!(text.starts_with("line 0\nline 1\n"), "{text}");
    assert!(text.ends_with("line 99999\nan error\n"), "{text}");
    let marker = format!("[… {} bytes of stdout not kept …]\n", capture.dropped());
    assert_eq!(text.matches(&marker).count(), 1, "{text}");
    let kept = text.len() - text.lines().find(|line| line.starts_with('[')).unwrap().len();
    assert!(kept < 8000);
    // What is there and what is not are all there was; a line break may stand before the marker.
    let shown = capture.text(&[Stream::Stdout]).len() as u64 - marker.len() as u64;
    assert!((0..=1).contains(&(shown + capture.dropped() - capture.total(Stream::Stdout))));
}

#[test]
fn d7_an_error_amid_a_flood_is_kept() {
    let mut capture = Capture::new(100_000);
    let flood = vec![b'x'; 50_000];
    for round in 0..100 {
        capture.push(Stream::Stdout, &flood);
        if round == 50 {
            capture.push(Stream::Stderr, b"the cause\n");
        }
    }
    let text = text(&capture);
    assert!(text.contains("the cause\n") && text.len() < 101_000);
}

#[test]
fn a_million_tiny_writes_on_both_streams_stay_bounded() {
    let mut capture = Capture::new(64 * 1024);
    for _ in 0..1_000_000 {
        capture.push(Stream::Stdout, b"o");
        capture.push(Stream::Stderr, b"e");
    }
    let chunks: usize = capture.sides.iter().map(|side| side.head.len() + side.tail.len()).sum();
    assert!(chunks * CHUNK_COST <= 64 * 1024 + 2 * CHUNK_COST, "{chunks} chunks");
    let kept = 2_000_000 - capture.dropped();
    assert!(kept > 500 && kept < 64 * 1024, "{kept}");
}

#[test]
fn cuts_do_not_tear_characters() {
    for bytes in [64, 100, 333, 1000, 4097] {
        let mut capture = Capture::new(bytes);
        for _ in 0..5000 {
            capture.push(Stream::Stdout, "漢字🦀é".as_bytes());
        }
        assert!(!text(&capture).contains('\u{FFFD}'), "{bytes}: {}", text(&capture));
    }
}

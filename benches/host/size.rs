//! How large the library of ten lines is.

use crate::built::Built;
use crate::measure::table;
use crate::{Result, Run};
use std::fs;

pub(crate) fn measure(_run: &Run, built: &Built) -> Result<()> {
    let mut rows = Vec::new();
    let mut files = vec![("debug", &built.word_debug), ("release", &built.word_release)];
    match &built.word_stripped {
        Some(stripped) => files.push(("release, `strip`", stripped)),
        None => println!("(there is no `strip` on this machine: the stripped size is missing)\n"),
    }
    for (name, file) in files {
        let bytes = fs::metadata(file)?.len();
        rows.push(vec![name.to_owned(), bytes.to_string(), format!("{:.0}", bytes as f64 / 1024.0)]);
    }
    table(&["build".to_owned(), "bytes".to_owned(), "KiB".to_owned()], &rows);
    Ok(())
}

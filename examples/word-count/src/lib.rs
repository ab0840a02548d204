//! The smallest plugin there is.
use stud_plugin_api::prelude::*;

/// Counts the words of a text.
#[tool(side_effects = "none")]
fn word_count(
    /// The text to count.
    text: String,
) -> usize {
    text.split_whitespace().count()
}

export_plugin!(word_count);

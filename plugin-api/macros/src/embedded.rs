//! The part of a tool's contract that is written into the library file.

use crate::attributes::ToolSettings;
use proc_macro2::TokenStream;
use quote::quote;
use syn::LitStr;

/// An expression of type `&'static str`: one `EmbeddedTool` of stud-contract in JSON.
pub(crate) fn embedded_tool(settings: &ToolSettings, name: &str) -> TokenStream {
    let gated = settings.gated.unwrap_or(!matches!(settings.side_effects.as_str(), "none" | "read"));
    let before = format!("{{\"name\":{},\"category\":\"", json_string(name));
    let after = format!(
        "\",\"otherNames\":{},\"sideEffects\":{},\"gated\":{gated},\"alwaysRequireApproval\":{},\
         \"requiresWorkspace\":{},\"parallelSafe\":{},\"executor\":\"local\",\"capabilities\":{},\"env\":{}}}",
        json_list(&settings.other_names),
        json_string(&settings.side_effects),
        settings.always_require_approval,
        settings.requires_workspace,
        settings.parallel_safe,
        json_list(&settings.capabilities),
        json_list(&settings.env),
    );
    let category = match &settings.category {
        Some(category) => {
            let escaped = json_string(&category.value());
            let inner = &escaped[1..escaped.len() - 1];
            quote!(#inner)
        }
        None => quote!(env!("CARGO_PKG_NAME")),
    };
    quote!(concat!(#before, #category, #after))
}

fn json_list(items: &[LitStr]) -> String {
    let items: Vec<String> = items.iter().map(|item| json_string(&item.value())).collect();
    format!("[{}]", items.join(","))
}

fn json_string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

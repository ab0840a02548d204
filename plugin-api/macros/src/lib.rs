//! The attributes with which an author writes a plugin. Use them through `stud_plugin_api`, which documents them.

mod attributes;
mod data;
mod embedded;
mod function;
mod tool;

use proc_macro::TokenStream;
use syn::{Item, parse_macro_input};

/// Turns a function or a struct into a tool.
///
/// On a function, the parameters are the arguments; a parameter of type `&Context` is the context. On a struct, the
/// fields are the arguments and the author implements `Run` for it. The doc comment is the description for the model.
///
/// Settings, all but the first optional:
///
/// | setting | meaning | default |
/// | --- | --- | --- |
/// | `side_effects = "read"` | the highest class by capability: none, read, write, execute, network | required |
/// | `name = "read_file"` | the tool's name | the item's name in snake case |
/// | `other_names("cat")` | names that resolve to it and are never advertised | none |
/// | `gated = true` | whether it goes through approval | false for none and read |
/// | `always_require_approval` | asks each time, whatever was remembered | no |
/// | `requires_workspace = false` | works without a workspace | true |
/// | `parallel_safe = false` | its calls run one at a time | true |
/// | `category = "files"` | the drawer it lies in | the crate's name |
/// | `config = Config` | a `#[data]` type for its configuration | none |
/// | `approval_key = path` | `fn(&Args) -> String`: what an approval is remembered under | the tool's name |
/// | `env("TOKEN")` | environment variables that it may see | none |
/// | `capabilities("net:api.example.org")` | what it asks for beyond its class | none |
/// | `examples({"text": "a b"})` | arguments that make sense, as JSON | none |
///
/// On a parameter or field, `#[arg(...)]` takes `alias("file", "filePath")`, `default`, `default = 100`, `min = 1` and `max = 1000`.
#[proc_macro_attribute]
pub fn tool(settings: TokenStream, item: TokenStream) -> TokenStream {
    let settings = parse_macro_input!(settings as attributes::ToolSettings);
    let expanded = match parse_macro_input!(item as Item) {
        Item::Fn(function) => function::expand(&settings, function),
        Item::Struct(arguments) => tool::expand(&settings, arguments),
        other => Err(syn::Error::new_spanned(other, "#[tool] goes on a function or a struct")),
    };
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Makes a struct or enum plain data that can be an argument, an output or a configuration: serde in both directions
/// and a JSON schema. Unknown fields are errors.
#[proc_macro_attribute]
pub fn data(settings: TokenStream, item: TokenStream) -> TokenStream {
    if !settings.is_empty() {
        let message = "#[data] takes no settings";
        return syn::Error::new(proc_macro2::Span::call_site(), message).to_compile_error().into();
    }
    data::expand(parse_macro_input!(item as syn::DeriveInput))
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, DeriveInput, Result, parse_quote};

/// Adds serde and schemars derives that find their crates through stud_plugin_api, so that an author needs no other dependency.
pub(crate) fn expand(mut item: DeriveInput) -> Result<TokenStream> {
    let mut attributes: Vec<Attribute> = derives(true);
    attributes.append(&mut item.attrs);
    item.attrs = attributes;
    Ok(quote!(#item))
}

/// The attributes that make a type plain data; `both_ways` adds serialisation.
pub(crate) fn derives(both_ways: bool) -> Vec<Attribute> {
    let mut attributes = vec![
        parse_quote!(#[derive(
            ::stud_plugin_api::__private::serde::Deserialize,
            ::stud_plugin_api::__private::schemars::JsonSchema
        )]),
        parse_quote!(#[serde(crate = "::stud_plugin_api::__private::serde", deny_unknown_fields)]),
        parse_quote!(#[schemars(crate = "::stud_plugin_api::__private::schemars")]),
    ];
    if both_ways {
        attributes.insert(0, parse_quote!(#[derive(::stud_plugin_api::__private::serde::Serialize)]));
    }
    attributes
}

use crate::attributes::{ArgSettings, ToolSettings, checked_name, docs, take_arg_settings};
use crate::{data, embedded};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Error, Field, Fields, Ident, ItemStruct, LitStr, Result, parse_quote};

/// `#[tool]` on a struct: its fields are the arguments, the author implements `Run`.
pub(crate) fn expand(settings: &ToolSettings, mut item: ItemStruct) -> Result<TokenStream> {
    if !item.generics.params.is_empty() {
        return Err(Error::new_spanned(item.generics, "a tool's arguments cannot be generic"));
    }
    let description = docs(&item.attrs, &item.ident)?;
    let name = match &settings.name {
        Some(name) => name.clone(),
        None => checked_name(LitStr::new(&snake_case(&item.ident.to_string()), item.ident.span()))?,
    };
    let type_name = item.ident.clone();
    let mut defaults = Vec::new();
    let mut aliases = Vec::new();
    if matches!(item.fields, Fields::Unit) {
        item.fields = Fields::Named(parse_quote!({}));
        item.semi_token = None;
    }
    let Fields::Named(fields) = &mut item.fields else {
        return Err(Error::new_spanned(
            item.fields,
            "a tool's arguments have names: use a struct with named fields",
        ));
    };
    for field in &mut fields.named {
        let argument = take_arg_settings(&mut field.attrs)?;
        let Some(ident) = field.ident.clone() else { continue };
        field.attrs.extend(schema_attributes(&argument));
        field.attrs.extend(default_attribute(&argument, &type_name, &ident, field, &mut defaults));
        let canonical = LitStr::new(ident.to_string().trim_start_matches("r#"), ident.span());
        aliases.extend(argument.aliases.iter().map(|alias| quote!((#alias, #canonical))));
    }
    let mut attributes = data::derives(false);
    attributes.append(&mut item.attrs);
    item.attrs = attributes;

    let embedded = embedded::embedded_tool(settings, &name.value());
    let config = settings
        .config
        .as_ref()
        .map_or_else(|| quote!(None), |config| quote!(Some(private::schema_of::<#config>())));
    let examples = &settings.examples;
    let key = match &settings.approval_key {
        Some(path) => quote! {
            let arguments: #type_name = private::arguments_from_value(args)?;
            Ok(#path(&arguments).into())
        },
        None => quote! {
            let _ = args;
            Ok(#name.to_owned())
        },
    };
    Ok(quote! {
        #item

        const _: () = {
            use ::stud_plugin_api::__private as private;

            #[automatically_derived]
            impl #type_name {
                #(#defaults)*
            }

            #[automatically_derived]
            impl ::stud_plugin_api::Tool for #type_name {
                const NAME: &'static str = #name;
                const EMBEDDED: &'static str = #embedded;

                fn describe() -> private::ToolText {
                    private::ToolText {
                        description: #description,
                        argument_aliases: &[#(#aliases),*],
                        config_schema: #config,
                        examples: vec![#(private::serde_json::json!(#examples)),*],
                    }
                }

                fn approval_key(args: private::serde_json::Value) -> ::stud_plugin_api::Result<String> {
                    #key
                }
            }
        };
    })
}

fn schema_attributes(argument: &ArgSettings) -> Option<Attribute> {
    let min = argument.min.as_ref().map(|min| quote!(min = #min));
    let max = argument.max.as_ref().map(|max| quote!(max = #max));
    let bounds: Vec<TokenStream> = min.into_iter().chain(max).collect();
    (!bounds.is_empty()).then(|| parse_quote!(#[schemars(range(#(#bounds),*))]))
}

/// serde takes a default as the path of a function, so one is made for each.
fn default_attribute(
    argument: &ArgSettings,
    type_name: &Ident,
    ident: &Ident,
    field: &Field,
    defaults: &mut Vec<TokenStream>,
) -> Option<Attribute> {
    match argument.default.as_ref()? {
        None => Some(parse_quote!(#[serde(default)])),
        Some(value) => {
            let function = format_ident!("__default_{}", ident.to_string().trim_start_matches("r#"));
            let field_type = &field.ty;
            defaults.push(quote!(fn #function() -> #field_type { ::core::convert::Into::into(#value) }));
            let path = format!("{type_name}::{function}");
            Some(parse_quote!(#[serde(default = #path)]))
        }
    }
}

fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.chars().enumerate() {
        if c.is_uppercase() && i > 0 && !out.ends_with('_') {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

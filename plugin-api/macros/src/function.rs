use crate::attributes::ToolSettings;
use crate::tool;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    Error, Expr, FnArg, GenericArgument, Ident, ItemFn, ItemStruct, Pat, PathArguments, Result, ReturnType,
    Type, parse_quote,
};

/// `#[tool]` on a function: a struct of the same name (types and functions do not meet) takes the parameters as fields.
pub(crate) fn expand(settings: &ToolSettings, mut function: ItemFn) -> Result<TokenStream> {
    if let Some(asyncness) = function.sig.asyncness {
        return Err(Error::new_spanned(
            asyncness,
            "tools are plain functions: the host gives each call a thread of its own",
        ));
    }
    if !function.sig.generics.params.is_empty() {
        return Err(Error::new_spanned(&function.sig.generics, "a tool cannot be generic"));
    }
    let name = function.sig.ident.clone();
    let mut fields: Vec<TokenStream> = Vec::new();
    let mut passed: Vec<Expr> = Vec::new();
    let context = format_ident!("context");
    for input in &mut function.sig.inputs {
        let FnArg::Typed(parameter) = input else {
            return Err(Error::new_spanned(input, "a tool is a free function"));
        };
        if is_context(&parameter.ty) {
            passed.push(parse_quote!(#context));
            continue;
        }
        let Pat::Ident(pattern) = &mut *parameter.pat else {
            return Err(Error::new_spanned(
                &parameter.pat,
                "a parameter of a tool is a plain name: the model sees it",
            ));
        };
        if matches!(&*parameter.ty, Type::Reference(_)) {
            let message =
                "arguments are owned values (only `&Context` is borrowed): take a `String`, not a `&str`";
            return Err(Error::new_spanned(&parameter.ty, message));
        }
        let (ident, field_type) = (&pattern.ident, &parameter.ty);
        let attributes: Vec<_> = parameter.attrs.drain(..).collect();
        fields.push(quote!(#(#attributes)* #ident: #field_type));
        passed.push(parse_quote!(self.#ident));
    }
    let (output, result) = output_of(&function.sig.output, &name, &passed);
    let (docs, others): (Vec<_>, Vec<_>) = function.attrs.drain(..).partition(|a| a.path().is_ident("doc"));
    function.attrs = docs.iter().cloned().chain(others).collect();
    let visibility = &function.vis;
    let arguments: ItemStruct = parse_quote! {
        #(#docs)*
        #[allow(non_camel_case_types, reason = "the arguments of a tool bear the name of its function")]
        #visibility struct #name { #(#fields),* }
    };
    let tool = tool::expand(settings, arguments)?;
    Ok(quote! {
        #function

        #tool

        impl ::stud_plugin_api::Run for #name {
            type Output = #output;

            fn run(self, #context: &::stud_plugin_api::Context) -> ::stud_plugin_api::Result<#output> {
                let _ = #context;
                #result
            }
        }
    })
}

fn is_context(parameter: &Type) -> bool {
    let Type::Reference(reference) = parameter else { return false };
    let Type::Path(path) = &*reference.elem else { return false };
    path.path.segments.last().is_some_and(|segment| segment.ident == "Context")
}

/// The tool's output type, and the expression that calls the function and makes a `Result` of what it returns.
fn output_of(output: &ReturnType, name: &Ident, passed: &[Expr]) -> (Type, TokenStream) {
    let ReturnType::Type(_, returned) = output else {
        return (parse_quote!(()), quote!({ #name(#(#passed),*); Ok(()) }));
    };
    if let Type::Path(path) = &**returned
        && let Some(last) = path.path.segments.last()
        && last.ident == "Result"
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(ok)) = arguments.args.first()
    {
        return (ok.clone(), quote!(#name(#(#passed),*).map_err(::core::convert::Into::into)));
    }
    ((**returned).clone(), quote!(Ok(#name(#(#passed),*))))
}

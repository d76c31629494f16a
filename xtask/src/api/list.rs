//! The list of a crate: its public items under the paths that others write, with their fields, variants, functions and traits.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use quote::ToTokens;
use syn::spanned::Spanned as _;

use super::module::Module;
use super::names::{declares, find, imports};

/// Where a type is declared: its module and its name.
type Home = (Vec<String>, String);

/// What the crate implements for a type.
#[derive(Default)]
struct Methods {
    functions: Vec<String>,
    traits: BTreeSet<String>,
}

struct Listing<'a> {
    root: &'a Module,
    methods: BTreeMap<Home, Methods>,
    items: usize,
    lines: BTreeSet<String>,
}

/// The list of the crate whose root is `file`.
pub(super) fn of(file: &Path, name: &str) -> anyhow::Result<String> {
    let root = Module::load(file)?;
    let mut methods = BTreeMap::new();
    gather(&root, &root, &[], &mut methods);
    let mut listing = Listing { root: &root, methods, items: 0, lines: BTreeSet::new() };
    listing.module(&root, &[], name);
    let mut out =
        format!("# {} public items, {} lines; written by `cargo xtask api`\n", listing.items, listing.lines.len());
    for line in listing.lines {
        let _ = writeln!(out, "{line}");
    }
    Ok(out)
}

/// Collects the blocks of `impl` in a module and those inside.
fn gather(root: &Module, module: &Module, path: &[String], methods: &mut BTreeMap<Home, Methods>) {
    for item in &module.items {
        let syn::Item::Impl(block) = item else { continue };
        let syn::Type::Path(own) = &*block.self_ty else { continue };
        let own: Vec<String> = own.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let Some(home) = find(root, path, &own) else { continue };
        let Some(name) = declares(home.item) else { continue };
        methods.entry((home.module, name.to_string())).or_default().add(block);
    }
    for (name, child) in &module.children {
        gather(root, child, &[path, std::slice::from_ref(name)].concat(), methods);
    }
}

impl Methods {
    fn add(&mut self, block: &syn::ItemImpl) {
        if let Some((_, name, _)) = &block.trait_ {
            self.traits.insert(text(name));
            return;
        }
        for item in &block.items {
            match item {
                syn::ImplItem::Fn(item) if is_public(&item.vis) => {
                    self.functions.push(format!("::{}", signature(&item.sig)))
                }
                syn::ImplItem::Const(item) if is_public(&item.vis) => {
                    self.functions.push(format!("::{}: const {}", item.ident, text(&item.ty)));
                }
                _ => {}
            }
        }
    }
}

impl Listing<'_> {
    /// Lists what is public in the module at `path`, which others call `name`.
    fn module(&mut self, module: &Module, path: &[String], name: &str) {
        for item in &module.items {
            if let syn::Item::Use(item) = item
                && is_public(&item.vis)
            {
                self.imports(item, path, name);
            } else if let Some(ident) = declares(item)
                && is_public(visibility(item))
            {
                self.item(item, path, &format!("{name}::{ident}"));
            }
        }
    }

    fn imports(&mut self, item: &syn::ItemUse, path: &[String], name: &str) {
        for import in imports(&item.tree) {
            let public = format!("{name}::{}", import.name);
            match find(self.root, path, &import.path) {
                Some(found) => self.item(found.item, &found.module, &public),
                None => self.line(format!("{public}: use {}", import.path.join("::"))),
            }
        }
    }

    fn item(&mut self, item: &syn::Item, module: &[String], name: &str) {
        self.items += 1;
        match item {
            syn::Item::Mod(item) => {
                let inside = [module, &[item.ident.to_string()]].concat();
                self.line(format!("{name}: mod"));
                if let Some(child) = self.root.at(&inside) {
                    self.module(child, &inside, name);
                }
            }
            syn::Item::Fn(item) => self.line(format!("{}: fn", name.to_owned() + &parameters(&item.sig))),
            syn::Item::Const(item) => self.line(format!("{name}: const {}", text(&item.ty))),
            syn::Item::Static(item) => self.line(format!("{name}: static {}", text(&item.ty))),
            syn::Item::Type(item) => self.line(format!("{name}{}: type {}", text(&item.generics), text(&item.ty))),
            syn::Item::Struct(item) => {
                self.line(format!("{name}{}: struct{}", text(&item.generics), marks(&item.attrs)));
                self.fields(&item.fields, name);
                self.implemented(&item.attrs, (module.to_vec(), item.ident.to_string()), name);
            }
            syn::Item::Enum(item) => {
                self.line(format!("{name}{}: enum{}", text(&item.generics), marks(&item.attrs)));
                for variant in &item.variants {
                    self.line(format!("{name}::{}", variant_text(variant)));
                }
                self.implemented(&item.attrs, (module.to_vec(), item.ident.to_string()), name);
            }
            syn::Item::Trait(item) => {
                self.line(format!("{name}{}: trait", text(&item.generics)));
                for item in &item.items {
                    if let syn::TraitItem::Fn(item) = item {
                        self.line(format!("{name}::{}", signature(&item.sig)));
                    }
                }
            }
            _ => {}
        }
    }

    fn fields(&mut self, fields: &syn::Fields, name: &str) {
        for (index, field) in fields.iter().enumerate().filter(|(_, field)| is_public(&field.vis)) {
            let own = field.ident.as_ref().map_or_else(|| index.to_string(), ToString::to_string);
            self.line(format!("{name}.{own}: {}", text(&field.ty)));
        }
    }

    fn implemented(&mut self, attributes: &[syn::Attribute], home: Home, name: &str) {
        let methods = self.methods.remove(&home).unwrap_or_default();
        let traits: BTreeSet<String> = derived(attributes).chain(methods.traits.iter().cloned()).collect();
        if !traits.is_empty() {
            self.line(format!("{name}: impl {}", Vec::from_iter(traits).join(", ")));
        }
        for function in &methods.functions {
            self.line(format!("{name}{function}"));
        }
        self.methods.insert(home, methods);
    }

    fn line(&mut self, line: String) {
        self.lines.insert(line);
    }
}

fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

fn visibility(item: &syn::Item) -> &syn::Visibility {
    match item {
        syn::Item::Const(item) => &item.vis,
        syn::Item::Enum(item) => &item.vis,
        syn::Item::Fn(item) => &item.vis,
        syn::Item::Mod(item) => &item.vis,
        syn::Item::Static(item) => &item.vis,
        syn::Item::Struct(item) => &item.vis,
        syn::Item::Trait(item) => &item.vis,
        syn::Item::Type(item) => &item.vis,
        _ => &syn::Visibility::Inherited,
    }
}

/// A function with its name: `find(&self, name: &str) -> Option<Node<'_>>: fn`.
fn signature(signature: &syn::Signature) -> String {
    format!(
        "{}{}: {}fn",
        signature.ident,
        parameters(signature),
        if signature.constness.is_some() { "const " } else { "" }
    )
}

fn parameters(signature: &syn::Signature) -> String {
    let inputs: Vec<String> = signature.inputs.iter().map(text).collect();
    let output = if let syn::ReturnType::Type(_, output) = &signature.output {
        format!(" -> {}", text(output))
    } else {
        String::new()
    };
    let bounds =
        signature.generics.where_clause.as_ref().map_or_else(String::new, |bounds| format!(" {}", text(bounds)));
    format!("{}({}){output}{bounds}", text(&signature.generics), inputs.join(", "))
}

fn variant_text(variant: &syn::Variant) -> String {
    let fields = variant.fields.iter().map(|field| match &field.ident {
        Some(ident) => format!("{ident}: {}", text(&field.ty)),
        None => text(&field.ty),
    });
    let fields: Vec<String> = fields.collect();
    match variant.fields {
        syn::Fields::Unit => variant.ident.to_string(),
        syn::Fields::Named(_) => format!("{} {{ {} }}", variant.ident, fields.join(", ")),
        syn::Fields::Unnamed(_) => format!("{}({})", variant.ident, fields.join(", ")),
    }
}

fn derived(attributes: &[syn::Attribute]) -> impl Iterator<Item = String> {
    let lists = attributes.iter().filter(|attribute| attribute.path().is_ident("derive"));
    let names = lists.filter_map(|attribute| attribute.meta.require_list().ok()).map(|list| list.tokens.to_string());
    names.flat_map(|names| names.split(',').map(|name| name.replace(' ', "")).collect::<Vec<_>>())
}

fn marks(attributes: &[syn::Attribute]) -> &'static str {
    if attributes.iter().any(|attribute| attribute.path().is_ident("non_exhaustive")) { ", non_exhaustive" } else { "" }
}

/// A part of the source as it is written, on one line.
fn text(part: &impl ToTokens) -> String {
    let written = part.span().source_text().filter(|_| !part.to_token_stream().is_empty()).unwrap_or_default();
    let line = written.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace("( ", "(").replace(", )", ")").replace("< ", "<").replace(", >", ">")
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn what_is_public_is_listed_under_the_name_that_others_write() {
        let room = tempfile::tempdir().expect("a directory");
        let file = room.path().join("lib.rs");
        std::fs::write(
            &file,
            "mod inner { #[derive(Clone)] pub struct Here { pub a: u8, b: u8 }\n\
             impl Here { pub fn new(\n a: u8,\n) -> Self { todo!() } fn hidden() {} }\n\
             impl Default for Here { } pub struct NotHere; }\n\
             #[cfg(test)] pub fn tested() {}\n\
             pub mod open { pub use crate::inner::Here as Renamed; pub enum E { A, B { x: u8 }, C(u8) } }\n\
             pub use inner::Here;\npub fn door<'a>(name: &'a str) -> &'a str { name }\n",
        )
        .expect("written");
        let expected = "\
# 5 public items, 14 lines; written by `cargo xtask api`
c::Here.a: u8
c::Here: impl Clone, Default
c::Here: struct
c::Here::new(a: u8) -> Self: fn
c::door<'a>(name: &'a str) -> &'a str: fn
c::open: mod
c::open::E: enum
c::open::E::A
c::open::E::B { x: u8 }
c::open::E::C(u8)
c::open::Renamed.a: u8
c::open::Renamed: impl Clone, Default
c::open::Renamed: struct
c::open::Renamed::new(a: u8) -> Self: fn
";
        assert_eq!(of(&file, "c").expect("listed"), expected);
    }
}

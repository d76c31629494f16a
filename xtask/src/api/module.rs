//! The modules of a crate, as its files declare them. Tests are left out.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;

/// A module: its items, and the modules inside.
pub(super) struct Module {
    pub(super) items: Vec<syn::Item>,
    pub(super) children: BTreeMap<String, Module>,
}

impl Module {
    /// Reads the crate whose root is `file`.
    pub(super) fn load(file: &Path) -> anyhow::Result<Self> {
        let directory = file.parent().context("a file is in a directory")?;
        Self::of(read(file)?, directory)
    }

    fn of(items: Vec<syn::Item>, directory: &Path) -> anyhow::Result<Self> {
        let items: Vec<syn::Item> = items.into_iter().filter(|item| !is_test(attributes(item))).collect();
        let mut children = BTreeMap::new();
        for item in &items {
            let syn::Item::Mod(module) = item else { continue };
            let name = module.ident.to_string();
            let inside = directory.join(&name);
            let content = match &module.content {
                Some((_, content)) => content.clone(),
                None => read(&directory.join(format!("{name}.rs"))).or_else(|_| read(&inside.join("mod.rs")))?,
            };
            children.insert(name, Self::of(content, &inside)?);
        }
        Ok(Self { items, children })
    }

    /// The module at a path from here.
    pub(super) fn at(&self, path: &[String]) -> Option<&Self> {
        path.iter().try_fold(self, |module, name| module.children.get(name))
    }
}

fn read(file: &Path) -> anyhow::Result<Vec<syn::Item>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(syn::parse_file(&text).with_context(|| format!("cannot parse {}", file.display()))?.items)
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether an item is there for tests alone: `#[test]`, `#[cfg(test)]`, `#[cfg(doctest)]`.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string().ends_with("test"),
        syn::Meta::NameValue(_) => false,
    })
}

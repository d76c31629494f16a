//! What a name in a module means: an item that the module declares, or that it imports from elsewhere in the crate.

use super::module::Module;

/// An item, and the path of the module that declares it.
pub(super) struct Declared<'a> {
    pub(super) module: Vec<String>,
    pub(super) item: &'a syn::Item,
}

/// What a `use` brings: a path, and the name that it has here.
pub(super) struct Import {
    pub(super) path: Vec<String>,
    pub(super) name: String,
}

/// The imports of one `use`.
pub(super) fn imports(tree: &syn::UseTree) -> Vec<Import> {
    match tree {
        syn::UseTree::Path(path) => {
            let mut inside = imports(&path.tree);
            inside.iter_mut().for_each(|import| import.path.insert(0, path.ident.to_string()));
            inside
        }
        syn::UseTree::Name(name) => vec![Import { path: vec![name.ident.to_string()], name: name.ident.to_string() }],
        syn::UseTree::Rename(name) => {
            vec![Import { path: vec![name.ident.to_string()], name: name.rename.to_string() }]
        }
        syn::UseTree::Group(group) => group.items.iter().flat_map(imports).collect(),
        syn::UseTree::Glob(_) => Vec::new(),
    }
}

/// The item that `path` means in the module at `here`, or nothing where it is of another crate.
pub(super) fn find<'a>(root: &'a Module, here: &[String], path: &[String]) -> Option<Declared<'a>> {
    let (name, parents) = path.split_last()?;
    let module = module_of(root, here, parents)?;
    let inside = root.at(&module)?;
    if let Some(item) = inside.items.iter().find(|item| declares(item).is_some_and(|ident| ident == name)) {
        return Some(Declared { module, item });
    }
    let uses = inside.items.iter().filter_map(|item| match item {
        syn::Item::Use(item) => Some(imports(&item.tree)),
        _ => None,
    });
    // What imports itself (`use self::x::x`) is declared elsewhere.
    let import = uses.flatten().find(|import| import.name == *name && (module != here || import.path != path))?;
    find(root, &module, &import.path)
}

/// The module that a path leads to, from the module at `here`.
fn module_of(root: &Module, here: &[String], path: &[String]) -> Option<Vec<String>> {
    let mut module = here.to_vec();
    for (index, step) in path.iter().enumerate() {
        match step.as_str() {
            "crate" => module.clear(),
            "self" => {}
            "super" => {
                module.pop()?;
            }
            name => {
                let is_child = root.at(&module)?.children.contains_key(name);
                if !is_child && index == 0 {
                    return imported_module(root, here, path);
                }
                module.push(name.to_owned());
                root.at(&module)?;
            }
        }
    }
    Some(module)
}

/// The module behind a path that starts with an imported name.
fn imported_module(root: &Module, here: &[String], path: &[String]) -> Option<Vec<String>> {
    let (first, rest) = path.split_first()?;
    let uses = root.at(here)?.items.iter().filter_map(|item| match item {
        syn::Item::Use(item) => Some(imports(&item.tree)),
        _ => None,
    });
    let import = uses.flatten().find(|import| import.name == *first && import.path.len() > 1)?;
    module_of(root, here, &[import.path.as_slice(), rest].concat())
}

/// The name that an item declares.
pub(super) fn declares(item: &syn::Item) -> Option<&syn::Ident> {
    Some(match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Mod(item) => &item.ident,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        _ => return None,
    })
}

//! `cargo xtask style`: how the code looks, room by room, beside the figures of well-known code bases.
//!
//! A room is a crate, and in `kmerge-core` a folder (with the file of its name) or a file. Tests are left out. Lines and
//! tokens of a function are those of its whole item. Fails where rooms of `kmerge-core` import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

/// Figures of code bases that are known for their style, to compare with. They are no limits.
const MODELS: &str = "\
| toml_edit | | | 3 / 14 / 107 | 35 / 110 | | | |
| ripgrep | | | 4 / 23 / 220 | 30 / 157 | | | |
| jj merge | | | 5 / 12 / 52 | 38 / 133 | | | |";

/// What is counted in one room.
#[derive(Debug, Default)]
struct Room {
    files: usize,
    lines: usize,
    function_lines: Vec<usize>,
    function_tokens: Vec<usize>,
    tuple_arguments: usize,
    closures_as_ifs: usize,
    imports: BTreeSet<String>,
}

pub(crate) fn run() -> anyhow::Result<()> {
    let mut rooms: BTreeMap<String, Room> = BTreeMap::new();
    for path in sources()? {
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let file = syn::parse_file(&text).with_context(|| format!("cannot parse {}", path.display()))?;
        let room = rooms.entry(room_of(&path)?).or_default();
        room.files += 1;
        room.visit_file(&file);
    }
    print(&rooms)?;
    refuse_circles(&rooms)
}

fn print(rooms: &BTreeMap<String, Room>) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "| room | files | lines | lines of a function: median / 90 % / longest | tokens: median / 90 % | over 350 tokens | tuple arguments | closures as ifs |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|")?;
    for (name, room) in rooms.iter().filter(|(_, room)| !room.function_lines.is_empty()) {
        writeln!(out, "{}", room.row(name))?;
    }
    writeln!(out, "{MODELS}")?;
    Ok(())
}

/// Fails where a room of `kmerge-core` needs one that needs it.
fn refuse_circles(rooms: &BTreeMap<String, Room>) -> anyhow::Result<()> {
    let circles: Vec<String> = rooms.keys().filter_map(|room| circle(rooms, room)).collect();
    anyhow::ensure!(circles.is_empty(), "rooms of kmerge-core import each other:\n{}", circles.join("\n"));
    Ok(())
}

/// The shortest way from a room back to itself, where it is the first of those on the way.
fn circle(rooms: &BTreeMap<String, Room>, start: &str) -> Option<String> {
    let mut ways: Vec<Vec<&str>> = vec![vec![start]];
    let mut seen = BTreeSet::new();
    let mut next = 0;
    while let Some(way) = ways.get(next).cloned() {
        next += 1;
        for other in way.last().and_then(|room| rooms.get(*room)).into_iter().flat_map(|room| &room.imports) {
            if other == start && way.len() > 1 {
                return Some(format!("  {} -> {start}", way.join(" -> ")));
            }
            if other.as_str() > start && rooms.contains_key(other) && seen.insert(other) {
                ways.push(way.iter().copied().chain([other.as_str()]).collect());
            }
        }
    }
    None
}

impl Room {
    fn row(&self, name: &str) -> String {
        let (lines, tokens) = (sorted(&self.function_lines), sorted(&self.function_tokens));
        let long = tokens.iter().filter(|count| **count > 350).count();
        format!(
            "| {name} | {} | {} | {} / {} / {} | {} / {} | {long} | {} | {} |",
            self.files,
            self.lines,
            at(&lines, 50),
            at(&lines, 90),
            at(&lines, 100),
            at(&tokens, 50),
            at(&tokens, 90),
            self.tuple_arguments,
            self.closures_as_ifs,
        )
    }

    fn function(&mut self, item: &impl ToTokens, signature: &syn::Signature) {
        let span = item.span();
        self.function_lines.push(span.end().line - span.start().line + 1);
        self.function_tokens.push(leaves(item.to_token_stream()));
        let is_tuple = |argument: &&syn::FnArg| matches!(argument, syn::FnArg::Typed(typed) if matches!(*typed.ty, syn::Type::Tuple(_)));
        self.tuple_arguments += signature.inputs.iter().filter(is_tuple).count();
    }
}

impl<'ast> Visit<'ast> for Room {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if is_test(attributes(item)) {
            return;
        }
        visit::visit_item(self, item);
    }

    fn visit_file(&mut self, file: &'ast syn::File) {
        for item in file.items.iter().filter(|item| !is_test(attributes(item))) {
            let span = item.span();
            self.lines += span.end().line - span.start().line + 1;
        }
        visit::visit_file(self, file);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(item, &item.sig);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(item, &item.sig);
        visit::visit_impl_item_fn(self, item);
    }

    /// `option.filter(|_| condition)` is an `if` that has to be read twice.
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let ignores = |argument: &syn::Expr| matches!(argument, syn::Expr::Closure(closure) if matches!(closure.inputs.first(), Some(syn::Pat::Wild(_))));
        if call.method == "filter" && call.args.first().is_some_and(ignores) {
            self.closures_as_ifs += 1;
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if let syn::UseTree::Path(path) = &item.tree
            && path.ident == "crate"
        {
            self.imports.extend(first_names(&path.tree));
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let mut segments = path.segments.iter();
        if segments.next().is_some_and(|segment| segment.ident == "crate") {
            self.imports.extend(segments.next().map(|segment| segment.ident.to_string()));
        }
        visit::visit_path(self, path);
    }
}

/// The modules that stand first in an import.
fn first_names(tree: &syn::UseTree) -> Vec<String> {
    match tree {
        syn::UseTree::Path(path) => vec![path.ident.to_string()],
        syn::UseTree::Name(name) => vec![name.ident.to_string()],
        syn::UseTree::Rename(name) => vec![name.ident.to_string()],
        syn::UseTree::Group(group) => group.items.iter().flat_map(first_names).collect(),
        syn::UseTree::Glob(_) => Vec::new(),
    }
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || (attribute.path().is_ident("cfg") && attribute.meta.to_token_stream().to_string().contains("test"))
    })
}

/// So many tokens, brackets counted one by one.
fn leaves(stream: TokenStream) -> usize {
    let mut open: Vec<TokenTree> = stream.into_iter().collect();
    let mut count = 0;
    while let Some(tree) = open.pop() {
        match tree {
            TokenTree::Group(group) => {
                count += 2;
                open.extend(group.stream());
            }
            _ => count += 1,
        }
    }
    count
}

fn sorted(values: &[usize]) -> Vec<usize> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values
}

fn at(sorted: &[usize], percent: usize) -> usize {
    let index = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or_default()
}

/// The room of a source file.
fn room_of(path: &Path) -> anyhow::Result<String> {
    let mut parts = path.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let name = parts.find(|part| part.starts_with("kmerge-") || part == "kyaml-ast" || part == "xtask");
    let name = name.context("a source file lies in a crate")?;
    let inside: Vec<String> = parts.skip(1).collect();
    Ok(match inside.first() {
        Some(first) if name == "kmerge-core" => first.trim_end_matches(".rs").to_owned(),
        _ => name,
    })
}

/// All source files of the workspace that are no tests.
fn sources() -> anyhow::Result<Vec<PathBuf>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the task lies in the workspace")?;
    let mut open = vec![root.join("crates"), root.join("xtask")];
    let mut found = Vec::new();
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !["tests", "benches", "target", "examples"].contains(&name.as_str()) {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") && !name.ends_with("tests.rs") {
                found.push(path.strip_prefix(root)?.to_owned());
            }
        }
    }
    found.sort();
    std::env::set_current_dir(root)?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rooms(imports: &[(&str, &[&str])]) -> BTreeMap<String, Room> {
        let room =
            |names: &[&str]| Room { imports: names.iter().map(ToString::to_string).collect(), ..Room::default() };
        imports.iter().map(|(name, names)| ((*name).to_owned(), room(names))).collect()
    }

    #[test]
    fn circles_are_refused_however_long_they_are() {
        assert!(refuse_circles(&rooms(&[("a", &["a", "b", "x"]), ("b", &["c"]), ("c", &[])])).is_ok());
        let found = refuse_circles(&rooms(&[("a", &["b"]), ("b", &["c"]), ("c", &["d", "a"]), ("d", &["c"])]));
        let expected = "rooms of kmerge-core import each other:\n  a -> b -> c -> a\n  c -> d -> c";
        assert_eq!(found.unwrap_err().to_string(), expected);
    }
}

//! The hook of [pre-commit](https://pre-commit.com) that checks files, in a repository's `.pre-commit-config.yaml`.
//!
//! pre-commit installs the wheel of this version by itself: nobody needs Rust, or kmerge on the PATH.

use anyhow::{Context as _, bail};
use kyaml_ast::{Document, Edit, Graft, Kind, Node, Path, Piece, Position, Stream, StreamId, splice};

/// The file at the top of a working tree.
pub(crate) const FILE: &str = ".pre-commit-config.yaml";

/// A configuration with the hook alone.
pub(crate) const CONFIG: &str = concat!(
    "repos:\n",
    "  - repo: local\n",
    "    hooks:\n",
    "      - id: kmerge-check\n",
    "        name: kmerge check\n",
    "        entry: kmerge check\n",
    "        language: python\n",
    "        additional_dependencies: [kmerge==",
    env!("CARGO_PKG_VERSION"),
    "]\n",
    "        types_or: [yaml, json]\n",
);

/// `text` with the hook, unless it has one of its name.
pub(crate) fn with_hook(text: &str) -> anyhow::Result<String> {
    if text.trim().is_empty() {
        return Ok(CONFIG.to_owned());
    }
    let old = Stream::parse(text).with_context(|| format!("{FILE} is not YAML"))?;
    let hook = Stream::parse(CONFIG).context("the hook is YAML")?;
    let (Some(repos), Some(item)) = (repos(&old), repos(&hook).and_then(|repos| repos.entries().next())) else {
        bail!("{FILE} has no list `repos`; add to it:\n{CONFIG}");
    };
    if repos.entries().any(|entry| has_hook(entry.value())) {
        return Ok(text.to_owned());
    }
    let position = repos.entries().last().map_or(Position::First, |last| Position::After(last.id()));
    let pieces = vec![Piece::Entry(Graft::new(StreamId(1), item.id()))];
    let edit = Edit::Insert { collection: repos.id(), position, pieces };
    splice(&[&old, &hook], StreamId(0), &[edit]).with_context(|| format!("{FILE} cannot be changed"))
}

/// What is to become of the hook.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Undone {
    /// There is none.
    Nothing,
    /// The text without it, and its lines.
    Removed { new: String, lines: String },
    /// Others stand beside it, or somebody has it from elsewhere.
    Left,
}

/// `text` without the hook, as [`with_hook`] adds it: alone in an entry that is local.
pub(crate) fn without_hook(text: &str) -> anyhow::Result<Undone> {
    // What cannot be read holds nothing of ours.
    let Ok(stream) = Stream::parse(text) else { return Ok(Undone::Nothing) };
    let mut items = repos(&stream).into_iter().flat_map(Node::entries);
    let Some(item) = items.find(|entry| has_hook(entry.value())) else { return Ok(Undone::Nothing) };
    if text == CONFIG {
        return Ok(Undone::Removed { new: String::new(), lines: text.to_owned() });
    }
    if !is_ours(item.value()) {
        return Ok(Undone::Left);
    }
    let edit = Edit::Remove { entry: item.id() };
    let new = splice(&[&stream], StreamId(0), &[edit]).with_context(|| format!("{FILE} cannot be changed"))?;
    Ok(Undone::Removed { new, lines: item.extent().of(text).to_owned() })
}

/// Whether an entry is local and has one hook.
fn is_ours(repo: Node<'_>) -> bool {
    let at = |path: &str| path.parse::<Path>().ok().and_then(|path| path.find(repo).ok()).map(|found| found.node);
    let is_local = at(".repo").is_some_and(|repo| repo.value() == "local");
    is_local && at(".hooks").is_some_and(|hooks| hooks.entries().count() == 1)
}

fn repos<'t>(stream: &'t Stream<'t>) -> Option<Node<'t>> {
    let root = stream.documents().find_map(Document::root)?;
    let found = ".repos".parse::<Path>().ok()?.find(root).ok()?;
    (found.node.kind() == Kind::Sequence).then_some(found.node)
}

fn has_hook(repo: Node<'_>) -> bool {
    let hook = ".hooks[id=\"kmerge-check\"]".parse::<Path>();
    hook.is_ok_and(|hook| hook.find(repo).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hook_is_added_once_and_nothing_else_changes() {
        let before = "# ours\nrepos:\n- repo: local # first\n  hooks: [{id: x}]\n- repo: local\n  hooks: []\n";
        let after = with_hook(before).expect("added");
        assert!(
            after.starts_with(before) && after.contains("\n- repo: local\n  hooks:\n    - id: kmerge-check\n"),
            "{after}"
        );
        assert_eq!(with_hook(&after).expect("it is there"), after);
        assert_eq!(with_hook(CONFIG).expect("it is there"), CONFIG);
        for empty in ["", "\n"] {
            assert_eq!(with_hook(empty).expect("added"), CONFIG);
        }
        assert!(with_hook("repos: []\nfail_fast: true\n").expect("added").contains("kmerge-check"));
    }

    #[test]
    fn the_hook_goes_as_it_came() {
        let before = "# ours\nrepos:\n- repo: local # first\n  hooks: [{id: x}]\n";
        let with = with_hook(before).expect("added");
        let undone = without_hook(&with).expect("removed");
        let Undone::Removed { new, lines } = undone else { panic!("{undone:?}") };
        assert_eq!((new.as_str(), lines.as_str()), (before, &with[before.len()..]));
        assert!(matches!(without_hook(CONFIG), Ok(Undone::Removed { new, .. }) if new.is_empty()));
        for text in ["", "a: [\n", before] {
            assert_eq!(without_hook(text).expect("nothing"), Undone::Nothing, "{text}");
        }
        let hook = "repos:\n- repo: https://example.com/kmerge\n  hooks:\n  - id: kmerge-check\n";
        for text in [hook, &hook.replace("https://example.com/kmerge", "local").replace("  - id", "  - id: x\n  - id")]
        {
            assert_eq!(without_hook(text).expect("left"), Undone::Left, "{text}");
        }
    }

    #[test]
    fn what_is_no_configuration_stays() {
        for wrong in ["repos: 1\n", "- a\n", "a: [\n", "# only a remark\n"] {
            assert!(with_hook(wrong).is_err(), "{wrong}");
        }
    }
}

//! The codes of problems: a contract, and the table that `docs/errors.md` shows.

use std::fmt::{self, Display};

/// What kind of problem it is; `docs/errors.md` says more about each. A code keeps its meaning for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Io = 1,
    Encoding = 2,
    Syntax = 3,
    Template = 4,
    Directive = 5,
    Config = 6,
    Conflict = 7,
    BrokenResult = 8,
    Crd = 9,
    Path = 10,
    NotFound = 11,
    Selection = 12,
    Anchor = 13,
    Duplicate = 14,
    Apply = 15,
    Marker = 16,
    DuplicateKey = 17,
    UndefinedAlias = 18,
    DuplicateElement = 19,
    SecondMember = 20,
    Kustomization = 21,
    NoMatch = 22,
    Unapplied = 23,
    Outside = 24,
    LostChange = 25,
    UnknownField = 26,
    WrongType = 27,
}

impl Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KM{:04}", *self as u16)
    }
}

/// What each code is about, and what can be done; the documentation is made from it.
#[cfg(test)]
pub(crate) const TABLE: [(Code, &str, &str); 27] = [
    (Code::Io, "a file cannot be read", "check the path and its permissions"),
    (
        Code::Encoding,
        "the bytes are not UTF-8",
        "convert the file; kmerge writes the bytes that it reads, so it must know where characters start",
    ),
    (Code::Syntax, "not valid YAML", "the message says what was expected and where; kmerge reads what kubectl reads"),
    (
        Code::Template,
        "a template (`{{ … }}` outside quotes)",
        "merge the rendered files; with an original (`merge3`, git), templates are merged line by line",
    ),
    (
        Code::Directive,
        "an unknown patch directive, or one that only `kmerge patch` executes",
        "`$patch` knows `merge`, `replace` and `delete`; `$retainKeys` and the like belong in a patch",
    ),
    (
        Code::Config,
        "a list rule is not valid; or the `kmerge.yaml` is a link, not a plain file, or larger than 1 MiB",
        "`--list-key .spec.gears[].teeth=id,side`, or the same in `kmerge.yaml`; see [schema.md](schema.md)",
    ),
    (
        Code::Conflict,
        "both sides changed a place, differently",
        "`--on-conflict updated` or `dest` takes one side, `markers` writes both",
    ),
    (
        Code::BrokenResult,
        "the result would not be valid YAML",
        "a defect of kmerge: nothing was written; please report it with the input files",
    ),
    (Code::Crd, "a custom resource definition cannot be understood", "the message says what and where"),
    (
        Code::Path,
        "a path is not valid",
        r#"`.spec.containers[name=app].ports[0]`, `.metadata.annotations["a.b/c"]`, `.finalizers[=x]`, `[-1]` for the last item"#,
    ),
    (Code::NotFound, "no place matches a path", "the message says which part matched, and suggests similar names"),
    (Code::Selection, "a command needs one document, and several or none match", "`--select KIND/NAME`"),
    (
        Code::Anchor,
        "the place has an anchor that an alias elsewhere needs, or it is only reached through an alias or merge key; or aliases refer to too much",
        "change the alias first, or the place that has the anchor",
    ),
    (
        Code::Duplicate,
        "two resources have the same identity, and kmerge cannot tell which is which",
        "the message shows both places; remove one, rename it, or move it to another file",
    ),
    (
        Code::Apply,
        "a configuration or a patch cannot be applied to an object",
        "the message says why, and shows both; `kubectl` refuses it, too",
    ),
    (
        Code::Marker,
        "the file has a conflict marker",
        "choose a side, or run `kmerge resolve`, which solves what it can",
    ),
    (Code::DuplicateKey, "a mapping has a key twice", "remove one; other tools use one of them, or refuse the file"),
    (Code::UndefinedAlias, "an alias without an anchor before it", "define the anchor, or write the value"),
    (
        Code::DuplicateElement,
        "a list has two elements with the same identity",
        "remove one, or give it another key; where it may be intended, it is only a warning",
    ),
    (Code::SecondMember, "two fields that exclude each other, such as `emptyDir` and `configMap`", "remove one"),
    (
        Code::Kustomization,
        "a kustomization is not valid, or names a file that does not exist",
        "the message says what and where; see [build.md](build.md)",
    ),
    (
        Code::NoMatch,
        "a patch matches no resource, or several",
        "the message names resources that almost match, and what differs",
    ),
    (
        Code::Unapplied,
        "a kustomization has a field that `kmerge build` does not apply",
        "the message says what to write instead; `--patches-only` merges only the patches, and leaves the rest to kustomize",
    ),
    (Code::Outside, "patches would change files outside of the directory", "`--root DIR` allows another directory"),
    (
        Code::LostChange,
        "a merge commit lacks a change of a parent",
        "make the change again; if both parents changed the place, somebody had to choose, and it is only a warning",
    ),
    (
        Code::UnknownField,
        "a field that the kind does not have",
        "the message suggests a similar field; `--crd` adds the fields of a definition. A warning; with `check --schema` an error",
    ),
    (
        Code::WrongType,
        "a value has the wrong type: a string instead of a number, or a number instead of a string",
        "quotes make a string. A warning; with `check --schema` an error",
    ),
];

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md");
    const HEAD: &str = "| code | what | what to do |\n|---|---|---|\n";

    /// With `KMERGE_BLESS=1` the document gets the table.
    #[test]
    fn the_document_has_the_table() {
        let written = std::fs::read_to_string(DOCUMENT).unwrap();
        let (before, _) = written.split_once(HEAD).unwrap();
        let rows: String = TABLE.iter().map(|(code, what, todo)| format!("| {code} | {what} | {todo} |\n")).collect();
        let made = format!("{before}{HEAD}{rows}");
        if std::env::var_os("KMERGE_BLESS").is_some() {
            std::fs::write(DOCUMENT, made).unwrap();
        } else {
            assert_eq!(made, written);
        }
    }

    #[test]
    fn codes_are_numbered_one_after_the_other() {
        let numbers: Vec<u16> = TABLE.iter().map(|(code, ..)| *code as u16).collect();
        assert_eq!(numbers, (1..=Code::WrongType as u16).collect::<Vec<_>>());
    }
}

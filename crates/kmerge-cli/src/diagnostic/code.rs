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
        "merge what the template gives once it is filled in; with an original (`merge3`, git), templates are merged line by line",
    ),
    (Code::Directive, "an unknown patch directive", "`$patch` knows `merge`, `replace` and `delete`"),
    (
        Code::Config,
        "a rule for a list is not one; or the `kmerge.yaml` that was found is a link, no plain file, or larger than 1 MiB",
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
        "a path is not one",
        r#"`.spec.containers[name=app].ports[0]`, `.metadata.annotations["a.b/c"]`, `.finalizers[=x]`, `[-1]` for the last item"#,
    ),
    (Code::NotFound, "a path leads nowhere", "the message says how far it got, and what is written almost alike"),
    (Code::Selection, "several documents, or none, are meant", "`--select KIND/NAME`"),
    (
        Code::Anchor,
        "an alias elsewhere needs the anchor of this place, or the place is reached through an alias or merge key",
        "change the alias first, or the place where its anchor stands",
    ),
    (
        Code::Duplicate,
        "a resource stands twice in a directory or file, and nothing tells which is which",
        "both places are shown; one has to go, or to get a name or file of its own",
    ),
    (
        Code::Apply,
        "a configuration or a patch cannot be applied to an object",
        "the message says why, and shows both; `kubectl` refuses the same",
    ),
    (
        Code::Marker,
        "a conflict marker stands in the file",
        "choose a side, or let `kmerge resolve` do what can be done without you",
    ),
    (Code::DuplicateKey, "a mapping has a key twice", "tools take one of them, or refuse the file; one has to go"),
    (Code::UndefinedAlias, "an alias without an anchor before it", "define the anchor, or write the value"),
    (
        Code::DuplicateElement,
        "a list has an element of the same identity twice",
        "one has to go, or to get a key of its own; a warning where that may be meant",
    ),
    (Code::SecondMember, "two fields that exclude each other, such as `emptyDir` and `configMap`", "one has to go"),
    (
        Code::Kustomization,
        "a kustomization cannot be understood, or names what is not there",
        "the message says what and where; see [build.md](build.md)",
    ),
    (
        Code::NoMatch,
        "a patch is for no resource, or for several",
        "the message names resources that almost fit, and in what they differ",
    ),
    (
        Code::Unapplied,
        "a kustomization says something that `kmerge build` does not apply",
        "the message says what to write instead; `--patches-only` merges the patches, and leaves all else to kustomize",
    ),
    (Code::Outside, "patches change files outside the directory that may be written", "`--root DIR` names another one"),
    (
        Code::LostChange,
        "a merge commit lacks what a parent changed",
        "make the change again; a warning where both parents changed the place, so that somebody had to choose",
    ),
    (
        Code::UnknownField,
        "a field that the kind does not have",
        "the message names the field that is written almost alike; `--crd` adds the fields of a definition. A warning, an error with `check --schema`",
    ),
    (
        Code::WrongType,
        "a value of another type than the field wants: text where a number has to be, a number where a string has to be",
        "quotes make a string. A warning, an error with `check --schema`",
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

//! Where we differ from the majority of the peers, and the production of YAML 1.2.2 that says so.

use crate::readings::Difference;

/// A class of least sources that we read in another way than the peers.
pub(crate) struct Disagreement {
    pub(crate) difference: Difference,
    /// Number and name of the production that decides, and what follows from it.
    #[expect(dead_code, reason = "for readers")]
    pub(crate) production: &'static str,
    pub(crate) example: &'static str,
    /// Whether a least source is of this class.
    pub(crate) matches: fn(&str) -> bool,
}

pub(crate) const DISAGREEMENTS: &[Disagreement] = &[
    Disagreement {
        difference: Difference::OnlyWeAccept,
        production: "104 c-ns-alias-node: an alias is a name; whether the name has a node is for those to say who compose nodes. \
                     102 ns-anchor-char: all but blanks and brackets and commas may be in a name",
        example: "*a",
        matches: |source| source.contains('*'),
    },
    Disagreement {
        difference: Difference::OnlyWeAccept,
        production: "66 s-separate-in-line: tabs separate as spaces do, where nothing is indented",
        example: ":\ta",
        matches: |source| source.contains(":\t"),
    },
    Disagreement {
        difference: Difference::OnlyWeAccept,
        production: "83 ns-reserved-directive: an unknown directive has any name; it is to be ignored",
        example: "%.\n---",
        matches: |source| source.lines().any(|line| line.starts_with('%')),
    },
    Disagreement {
        difference: Difference::OnlyWeAccept,
        production: "189 c-l-block-map-explicit-key: the key may be empty, also at the end of the stream",
        example: "?",
        matches: |source| source.ends_with('?'),
    },
    Disagreement {
        difference: Difference::OnlyWeAccept,
        production: "169 l-trail-comments: comments below a block scalar may be indented less than it",
        example: "|1\n#",
        matches: |source| source.starts_with(['|', '>']) && source.contains("\n#"),
    },
    Disagreement {
        difference: Difference::OnlyWeAccept,
        production: "205 c-document-end: ends a block scalar of blank lines, whatever their indentation",
        example: ">\n \n...",
        matches: |source| source.starts_with(['|', '>']) && (source.contains("\n...") || source.contains("\n---")),
    },
    Disagreement {
        difference: Difference::OnlyWeAccept,
        production: "147 c-ns-flow-map-empty-key-entry: a pair inside brackets may have no key",
        example: "--- [: {[]}]\n---\n'': [{}]",
        matches: |source| ["[: ", ",: ", "[:]", ",:]"].iter().any(|pair| source.contains(pair)),
    },
    Disagreement {
        difference: Difference::OtherEvents,
        production: "165 b-chomped-last, 166 l-chomped-empty: without `+` one line break ends a block scalar, whatever blanks follow",
        example: "|\n a\n ",
        matches: |source| source.starts_with(['|', '>']) && source.ends_with(' '),
    },
    Disagreement {
        difference: Difference::OtherEvents,
        production: "206 c-forbidden: a line that starts with `---` or `...` is a marker, in a block scalar at the root, too",
        example: "|\n---",
        matches: |source| source.starts_with(['|', '>']) && (source.contains("\n---") || source.contains("\n...")),
    },
    Disagreement {
        difference: Difference::OnlyWeRefuse,
        production: "198 s-l+block-collection: a block collection below a key starts on a line of its own",
        example: ": :",
        matches: |source| source.lines().any(has_collection_on_key_line),
    },
    Disagreement {
        difference: Difference::OnlyWeRefuse,
        production: "206 c-forbidden: `---` is a marker, in a block scalar at the root, too; 198 s-l+block-collection: what stands \
                     beside it is no block collection",
        example: "|\n--- -",
        matches: |source| source.starts_with(['|', '>']) && source.contains("\n--- "),
    },
    Disagreement {
        difference: Difference::OnlyWeRefuse,
        production: "63 s-indent: tabs are no indentation of a block collection, at the root neither",
        example: "\t:",
        matches: |source| source.starts_with('\t') && source.contains(':'),
    },
    Disagreement {
        difference: Difference::OnlyWeRefuse,
        production: "69 s-flow-line-prefix: later lines inside brackets and quotes are indented more than the collection around",
        example: "- {a\n}",
        matches: |source| source.contains(['\n', '\r']) && source.contains(['{', '[', '"', '\'']),
    },
    Disagreement {
        difference: Difference::OnlyWeRefuse,
        production: "126 ns-plain-first: `|` and `>` are indicators, also inside brackets",
        example: "[|]",
        matches: |source| source.contains(['|', '>']) && source.contains(['{', '[']),
    },
    Disagreement {
        difference: Difference::OnlyWeRefuse,
        production: "27 nb-char: a byte order mark is no text; 202 l-document-prefix: it stands before documents",
        example: "a\u{feff}",
        matches: |source| source.contains('\u{feff}'),
    },
    Disagreement {
        difference: Difference::OnlyWeRefuse,
        production: "161 ns-flow-node: blanks part an anchor from its content; 102 ns-anchor-char: a bracket ends the name",
        example: "&a{}",
        matches: |source| source.split('&').skip(1).any(is_name_at_bracket),
    },
];

/// `a{}`
fn is_name_at_bracket(anchor: &str) -> bool {
    let name = anchor.find(|c: char| c.is_whitespace() || "[]{},".contains(c)).unwrap_or(anchor.len());
    name > 0 && anchor[name..].starts_with(['[', '{'])
}

/// `: :`, `: -`, `: ?`, `: [a]: b`
fn has_collection_on_key_line(line: &str) -> bool {
    let (_, value) = line.split_once(':').unwrap_or_default();
    let value = value.trim_start();
    value.contains(':') || value.starts_with(['-', '?'])
}

pub(crate) fn is_listed(difference: Difference, least: &str) -> bool {
    DISAGREEMENTS.iter().any(|listed| listed.difference == difference && (listed.matches)(least))
}

//! Vocabulary: the words and texts that generated documents are made of.

use crate::rng::Rng;

pub(crate) const WORDS: &[&str] = &[
    "api", "auth", "batch", "billing", "cache", "cart", "catalog", "checkout", "console", "edge", "events", "export",
    "feed", "gateway", "geo", "graph", "index", "ingest", "ledger", "mail", "media", "metrics", "notify", "orders",
    "payments", "portal", "pricing", "queue", "reports", "router", "search", "session", "shipping", "stock", "store",
    "stream", "sync", "tenant", "trace", "users", "vault", "web", "worker",
];

pub(crate) const PROSE: &[&str] = &[
    "the",
    "controller",
    "sets",
    "this",
    "field",
    "when",
    "object",
    "is",
    "ready",
    "and",
    "must",
    "not",
    "change",
    "it",
    "later",
    "a",
    "list",
    "of",
    "names",
    "that",
    "identify",
    "each",
    "resource",
    "in",
    "same",
    "namespace",
    "default",
    "value",
    "applies",
    "if",
    "nothing",
    "was",
    "given",
    "requests",
    "above",
    "limit",
    "are",
    "refused",
    "until",
    "next",
    "period",
    "starts",
    "see",
    "documentation",
    "for",
    "details",
    "e.g.",
    "i.e.",
    "(optional)",
    "don't",
    "host:port",
    "issue#7",
    "80%",
    "café",
    "=>",
    "--flag",
];

/// Plain text that some schema reads as something else than a string.
pub(crate) const TYPED: &[&str] = &[
    "0",
    "1",
    "-7",
    "80",
    "8080",
    "0644",
    "0o17",
    "0x1F",
    "0b11",
    "1_000",
    "1.5",
    "1e3",
    ".5",
    ".inf",
    "-.INF",
    ".nan",
    "true",
    "False",
    "yes",
    "No",
    "on",
    "OFF",
    "y",
    "null",
    "~",
    "2001-01-01",
    "12:30:45",
    "18446744073709551616",
];

/// Plain text that only looks like syntax.
pub(crate) const TRICKY: &[&str] = &[
    "a#b",
    "a:b",
    "-x",
    "--dry-run=client",
    "http://example.com/p?q=1#f",
    "a, b",
    "x [y] {z}",
    "it's",
    "say \"hi\"",
    "100%",
    "a & b",
    "*",
    "a*b",
    "x!",
    "a | b",
    "> not",
    "é",
    "日本語",
    "😀 ok",
    "\\d+",
    "$(VAR)",
    "${VAR:-x}",
    "@x",
    "`x`",
    "?x",
    ":x",
    "-",
    "- x",
    "# x",
    "{{ .Values.x }}",
    "---",
    "...",
    "key: value",
    " lead",
    "trail ",
    "",
    "a\tb",
    "'",
    "\"",
    "%x",
    "a:",
    "<<",
    "=",
];

/// Lines of block scalars.
pub(crate) const LINES: &[&str] = &[
    "#!/bin/sh",
    "set -eu",
    "echo \"starting\"",
    "exec \"$@\"",
    "",
    "# not a comment",
    "key: value",
    "- item",
    "  indented",
    "\ttabbed",
    "if [ -f /tmp/x ]; then",
    "  rm -f /tmp/x",
    "fi",
    "trailing ",
    "---",
    "...",
    "server {",
    "  listen 80;",
    "}",
    "é 日本",
    "a: |",
    "level=info",
    "port=8080",
    "[section]",
    "%macro",
];

/// Comments, `#` included.
pub(crate) const COMMENTS: &[&str] = &[
    "# keep in step with the chart",
    "# TODO: tune",
    "#",
    "#no space",
    "## heading",
    "# é",
    "# a: b",
    "# - x",
    "# 'quoted",
    "# managed by the platform team",
    "# see runbook",
    "# changed after the incident",
    "#!shebang",
    "# {",
    "# $setters",
];

/// One of `parts` joined to another by a dash, with a number now and then.
pub(crate) fn name(rng: &mut Rng) -> String {
    let base = format!("{}-{}", rng.pick(WORDS), rng.pick(WORDS));
    if rng.chance(20) { format!("{base}-{}", rng.below(30)) } else { base }
}

/// A sentence of `words` words without a character that needs quotes.
pub(crate) fn sentence(rng: &mut Rng, words: usize) -> String {
    let mut out = String::from(rng.pick(&["The", "A", "This", "If", "Names", "When"]));
    for _ in 1..words.max(1) {
        out.push(' ');
        out.push_str(rng.pick(PROSE));
    }
    out
}

/// Sentences that end with full stops.
pub(crate) fn paragraph(rng: &mut Rng, sentences: usize) -> String {
    let sentences: Vec<String> = (0..sentences.max(1))
        .map(|_| {
            let words = rng.between(4, 14);
            sentence(rng, words) + "."
        })
        .collect();
    sentences.join(" ")
}

/// A version as in an image's tag.
pub(crate) fn version(rng: &mut Rng) -> String {
    format!("{}.{}.{}", rng.below(4), rng.below(30), rng.below(20))
}

/// `count` hexadecimal digits.
pub(crate) fn hex(rng: &mut Rng, count: usize) -> String {
    (0..count).map(|_| rng.pick(b"0123456789abcdef") as char).collect()
}

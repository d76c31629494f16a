//! Bytes from a fuzzer or a corpus as inputs of the laws.
//!
//! What is not YAML is no business of edits and merges and passes; each input is one text or several, with zero bytes
//! between them. Owns: how bytes are read. Ignores: what has to hold. Left out are texts in which a lone carriage return
//! ends a line (a line merge and every editor take it for text), and names whose end is ambiguous.

use kyaml_ast::{Node, Stream};

use crate::{Broken, driver, edit_round, merges, parse, scripts};

/// Deeper nesting is left out: oracles may recurse, and what is checked has tests of its own for depth.
const DEEPEST: usize = 100;

/// The laws of [`parse`] on bytes.
///
/// # Errors
///
/// The law that does not hold.
pub fn parse_input(bytes: &[u8]) -> Result<(), Broken> {
    parse(bytes)
}

/// The laws of edits on a seed (two bytes), a source and a text to graft from: they do what they say; and those of
/// [`scripts`] on the source.
///
/// # Errors
///
/// The law that does not hold.
pub fn edit_input(bytes: &[u8]) -> Result<(), Broken> {
    let Some((seed, rest)) = bytes.split_first_chunk() else { return Ok(()) };
    let seed = u64::from(u16::from_le_bytes(*seed));
    let texts = texts(rest);
    let source = texts.first().copied().unwrap_or_default();
    let other = texts.get(1).copied().unwrap_or(source);
    match (std::str::from_utf8(source), std::str::from_utf8(other)) {
        (Ok(source), Ok(other)) if is_shallow_yaml(source) && is_shallow_yaml(other) => {
            edit_round(source, other, seed, 1 + seed as usize % 4)?;
            scripts(source, seed, 1 + seed as usize % 5).map(|_| ())
        }
        _ => Ok(()),
    }
}

/// The laws of [`merges`] on base, destination and incoming side.
///
/// # Errors
///
/// The law that does not hold.
pub fn merge_input(bytes: &[u8]) -> Result<(), Broken> {
    let sides = sides(bytes);
    let [Ok(base), Ok(dest), Ok(incoming)] = sides.each_ref().map(|side| std::str::from_utf8(side)) else {
        return Ok(());
    };
    if [base, dest, incoming].into_iter().all(is_shallow_yaml) { merges([base, dest, incoming]) } else { Ok(()) }
}

/// The laws of [`driver`] on base, ours and theirs, whatever they are.
///
/// # Errors
///
/// The law that does not hold.
pub fn driver_input(bytes: &[u8]) -> Result<(), Broken> {
    let sides = sides(bytes);
    driver(sides.each_ref().map(Vec::as_slice))
}

pub(crate) fn texts(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split(|byte| *byte == 0).collect()
}

/// Base and two sides: each side is a text, or a script (after a byte 1) that changes lines of the base.
fn sides(bytes: &[u8]) -> [Vec<u8>; 3] {
    let texts = texts(bytes);
    let base = texts.first().copied().unwrap_or_default();
    let side = |index: usize| match texts.get(index) {
        Some([1, script @ ..]) => changed(base, script),
        Some(text) => text.to_vec(),
        None => base.to_vec(),
    };
    [base.to_vec(), side(1), side(2)]
}

/// The base after a script of steps: what to do, to which line, with what.
pub(crate) fn changed(base: &[u8], script: &[u8]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = base.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for step in script.chunks_exact(3) {
        let at = step[1] as usize % lines.len().max(1);
        let other = lines.get(step[2] as usize % lines.len().max(1)).cloned();
        match (step[0] % 6, lines.get_mut(at), other) {
            (0, Some(_), _) => _ = lines.remove(at),
            (1, Some(line), _) => append(line, &[b' ', b'#', b'a' + step[2] % 26]),
            (2, Some(line), _) => append(line, &[b'a' + step[2] % 26]),
            (3, Some(_), Some(other)) => lines.insert(at, other),
            (4, Some(line), Some(other)) => *line = other,
            (5, Some(line), _) => replace_value(line, step[2]),
            _ => {}
        }
    }
    lines.concat()
}

/// Puts text before the line break.
fn append(line: &mut Vec<u8>, text: &[u8]) {
    let end = line.len() - usize::from(line.ends_with(b"\n"));
    line.splice(end..end, text.iter().copied());
}

/// Puts another value behind the first `: ` or `- `.
fn replace_value(line: &mut Vec<u8>, choice: u8) {
    const VALUES: [&[u8]; 8] = [b"x", b"1", b"null", b"[a, b]", b"{a: 1}", b"'q'", b"|\n   text", b"&a b"];
    let end = line.len() - usize::from(line.ends_with(b"\n"));
    let behind = line.windows(2).position(|pair| matches!(pair, b": " | b"- "));
    if let Some(at) = behind {
        line.splice(at + 2..end.max(at + 2), VALUES[choice as usize % VALUES.len()].iter().copied());
    }
}

pub(crate) fn is_shallow_yaml(text: &str) -> bool {
    let Ok(stream) = Stream::parse(text) else { return false };
    if has_ambiguous_alias(text) || text.replace("\r\n", "").contains('\r') {
        return false;
    }
    let mut open: Vec<(Node<'_>, usize)> =
        stream.documents().filter_map(kyaml_ast::Document::root).map(|root| (root, 0)).collect();
    while let Some((node, depth)) = open.pop() {
        if depth > DEEPEST {
            return false;
        }
        open.extend(node.children().map(|child| (child, depth + 1)));
    }
    true
}

/// Whether a name of an anchor or alias may hold a colon: kubectl's parser ends it there where no such anchor stands before,
/// so that what a text means depends on what is around it.
pub(crate) fn has_ambiguous_alias(text: &str) -> bool {
    let mut words = text.split([' ', '\t', '\n', '\r', ',', '[', ']', '{', '}']);
    words.any(|word| word.contains(':') && word.contains(['&', '*']))
}

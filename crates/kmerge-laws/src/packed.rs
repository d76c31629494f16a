//! Many small inputs in one text file, so that a corpus of bytes can be read, compared and reviewed.
//!
//! One input a line, its bytes escaped as in a Rust byte string; lines that start with `#` are remarks on what follows.

/// The inputs as one packed text, in the order given.
#[must_use]
pub fn pack<'a>(inputs: impl IntoIterator<Item = &'a [u8]>) -> String {
    inputs.into_iter().map(|input| guarded(&input.escape_ascii().to_string()) + "\n").collect()
}

/// The first byte as an escape where the line would be a remark, or blank.
fn guarded(line: &str) -> String {
    match line.as_bytes() {
        [b'#', ..] => format!("\\x23{}", &line[1..]),
        _ => line.to_owned(),
    }
}

/// The inputs of a packed text.
///
/// ```
/// let inputs: [&[u8]; 3] = [b"a: b\n", b"# \xff\\", b"'\""];
/// let packed = kmerge_laws::pack(inputs);
/// assert_eq!(kmerge_laws::unpack(&packed), inputs);
/// ```
#[must_use]
pub fn unpack(packed: &str) -> Vec<Vec<u8>> {
    packed.lines().filter(|line| !line.starts_with('#')).map(unescape).collect()
}

fn unescape(line: &str) -> Vec<u8> {
    let mut bytes = line.bytes();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'n') => out.push(b'\n'),
            Some(b'r') => out.push(b'\r'),
            Some(b't') => out.push(b'\t'),
            Some(b'x') => out.push(hex(bytes.next()) << 4 | hex(bytes.next())),
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

fn hex(digit: Option<u8>) -> u8 {
    digit.and_then(|digit| char::from(digit).to_digit(16)).unwrap_or(0) as u8
}

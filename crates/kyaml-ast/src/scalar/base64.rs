//! Decodes `!!binary` as go-yaml does: standard alphabet, padding required, line breaks ignored.

/// The bytes that `text` encodes. `None` if it is not base64.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut bytes = text.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r'));
    while let Some(first) = bytes.next() {
        let group = [first, bytes.next()?, bytes.next()?, bytes.next()?];
        let padding = group.iter().rev().take_while(|&&byte| byte == b'=').count();
        if padding > 2 {
            return None;
        }
        let bits = group[..4 - padding].iter().try_fold(0, |bits, &byte| Some(bits << 6 | sextet(byte)?))?;
        let bits: u32 = bits << (6 * padding);
        out.extend_from_slice(&bits.to_be_bytes()[1..4 - padding]);
        if padding > 0 {
            return bytes.next().is_none().then_some(out);
        }
    }
    Some(out)
}

fn sextet(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn decodes_what_go_decodes() {
        assert_eq!(decode("").as_deref(), Some(&b""[..]));
        assert_eq!(decode("aGk=\n").as_deref(), Some(&b"hi"[..]));
        assert_eq!(decode("aGV5").as_deref(), Some(&b"hey"[..]));
        assert_eq!(decode("aA==").as_deref(), Some(&b"h"[..]));
        for wrong in ["aGk", "a Gk=", "****", "a===", "aGk=aGk=", "=aGk"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}

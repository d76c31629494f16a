//! How large an input may be: `--max-bytes`.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

/// A number of bytes, written with a unit where one fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

/// Far more than manifests have, and far less than memory.
pub const DEFAULT: Bytes = Bytes(256 << 20);

static MOST: OnceLock<u64> = OnceLock::new();

/// Says how large a single input may be; only the first call counts.
pub fn set_max_bytes(most: Bytes) {
    MOST.get_or_init(|| most.0);
}

/// How large a single input may be.
#[must_use]
pub fn max_bytes() -> u64 {
    *MOST.get().unwrap_or(&DEFAULT.0)
}

const UNITS: [(char, u32); 3] = [('G', 30), ('M', 20), ('k', 10)];

impl FromStr for Bytes {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unit = UNITS
            .iter()
            .find(|(unit, _)| text.ends_with([*unit, unit.to_ascii_lowercase(), unit.to_ascii_uppercase()]));
        let (digits, shift) = unit.map_or((text, 0), |(unit, shift)| (&text[..text.len() - unit.len_utf8()], *shift));
        let number: Option<u64> = digits.parse().ok().filter(|_| !digits.starts_with('+'));
        let bytes = number.and_then(|number| number.checked_mul(1 << shift));
        bytes.map(Self).ok_or("expected a number of bytes, such as 500k, 64M or 1G")
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match UNITS.iter().find(|(_, shift)| self.0 > 0 && self.0.is_multiple_of(1 << shift)) {
            Some((unit, shift)) => write!(f, "{}{unit}", self.0 >> shift),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_units() {
        for (text, bytes) in [("0", 0), ("7", 7), ("3k", 3 << 10), ("3K", 3 << 10), ("64M", 64 << 20), ("1g", 1 << 30)]
        {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
        for text in ["", "k", "-1", "+1", "1.5M", "1T", "1 k", "99999999999G", "\u{212a}"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    #[test]
    fn units_are_shown_where_they_fit() {
        let shown = [0, 1, 1000, 2048, 256 << 20, 1 << 30, u64::MAX].map(|bytes| Bytes(bytes).to_string());
        let most = format!("{} bytes", u64::MAX);
        assert_eq!(shown, ["0 bytes", "1 bytes", "1000 bytes", "2k", "256M", "1G", most.as_str()]);
    }
}

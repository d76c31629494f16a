//! Floating-point numbers: a type with order and equality, and Go's way of printing.
//!
//! Ignores integers: those that fit into 64 bits never become floats.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// A finite number that is not `-0.0`. So it has a total order and equality.
#[derive(Clone, Copy, Debug)]
pub struct Float(f64);

impl Float {
    /// The number, unless it is infinite or not a number.
    #[must_use]
    pub const fn new(number: f64) -> Option<Self> {
        if number.is_finite() { Some(Self(number + 0.0)) } else { None }
    }

    /// The number itself.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl PartialEq for Float {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Float {}

impl Hash for Float {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl PartialOrd for Float {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Float {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The number as Go's `encoding/json` writes it: `1.5`, `1e+21`, `1e-7`.
#[must_use]
pub(crate) fn json_float(number: Float) -> String {
    let size = number.0.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        return with_exponent(number.0, 1);
    }
    format!("{}", number.0)
}

/// The number as Go's `%v` writes it: `1.5`, `1e+06`, `1e-07`.
#[must_use]
pub(crate) fn display_float(number: Float) -> String {
    let size = number.0.abs();
    if size != 0.0 && !(1e-4..1e6).contains(&size) {
        return with_exponent(number.0, 2);
    }
    format!("{}", number.0)
}

/// Scientific notation with a sign and at least `digits` digits in the exponent.
fn with_exponent(number: f64, digits: usize) -> String {
    let text = format!("{number:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    let digits = if sign == '+' { 2 } else { digits };
    format!("{mantissa}e{sign}{exponent:0>digits$}")
}

#[cfg(test)]
mod tests {
    use super::{Float, display_float, json_float};

    #[test]
    fn floats_print_as_go_prints_them() {
        let cases = [
            (1.5, "1.5", "1.5"),
            (1_234_567.5, "1234567.5", "1.2345675e+06"),
            (1e20, "100000000000000000000", "1e+20"),
            (1e21, "1e+21", "1e+21"),
            (1.25e300, "1.25e+300", "1.25e+300"),
            (1e-5, "0.00001", "1e-05"),
            (1e-7, "1e-7", "1e-07"),
            (-2.5e-10, "-2.5e-10", "-2.5e-10"),
            (18_446_744_073_709_551_615.0, "18446744073709552000", "1.8446744073709552e+19"),
            (-0.0, "0", "0"),
        ];
        for (number, json, display) in cases {
            let number = Float::new(number).unwrap();
            assert_eq!(json_float(number), json);
            assert_eq!(display_float(number), display);
        }
    }

    #[test]
    fn numbers_that_json_has_not_are_refused() {
        assert!(Float::new(f64::NAN).is_none());
        assert!(Float::new(f64::INFINITY).is_none());
    }
}

//! The least source that still shows a difference.

use crate::readings::Difference;

/// Takes out whatever can go while the difference stays, and writes letters as `a` and digits as `1` where that does not matter.
pub(crate) fn minimal(source: &str, difference: Difference) -> String {
    let differs = |source: &str| Difference::of(source) == Some(difference);
    let mut least: Vec<char> = source.chars().collect();
    let mut size = least.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        let before = least.len();
        while at < least.len() {
            let mut fewer = least.clone();
            fewer.drain(at..(at + size).min(least.len()));
            if differs(&fewer.iter().collect::<String>()) { least = fewer } else { at += size }
        }
        if size > 1 || least.len() == before {
            size /= 2;
        }
    }
    for at in 0..least.len() {
        let plain = match least[at] {
            'b'..='z' | 'A'..='Z' => 'a',
            '0' | '2'..='9' => '1',
            _ => continue,
        };
        let mut simpler = least.clone();
        simpler[at] = plain;
        if differs(&simpler.iter().collect::<String>()) {
            least = simpler;
        }
    }
    least.into_iter().collect()
}

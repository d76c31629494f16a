//! The shapes of plain text: number and date patterns that several rules share.

/// Whether the text is a decimal number in the sense of YAML 1.2's float: `[-+]?(\.d+|d+(\.d*)?)([eE][-+]?d+)?`.
pub(super) fn is_decimal_float(text: &str) -> bool {
    let text = unsigned(text);
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], Some(unsigned(&text[at + 1..]))),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    has_digits && all_digits(whole) && all_digits(fraction) && exponent.is_none_or(is_number)
}

/// Whether the text is a date or a point in time as YAML 1.1 writes them.
///
/// The pattern of the timestamp type, with one- or two-digit months, days and hours; ranges are not checked.
pub(super) fn is_timestamp(text: &str) -> bool {
    let (date, rest) = text.split_at(text.find(['T', 't', ' ', '\t']).unwrap_or(text.len()));
    is_date(date) && (rest.is_empty() || is_time(rest))
}

/// Whether YAML 1.1 reads the text as something that neither the core schema nor go-yaml does: dates, sexagesimal
/// numbers, and the special keys `=` and `<<`. A writer has to quote them.
pub(crate) fn is_taken_by_yaml11(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'=' | b'<') => matches!(text, "=" | "<<"),
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => is_timestamp(text) || is_sexagesimal(text) || is_loose_number(text),
        _ => false,
    }
}

/// `190:20:30`, `-1:30.5`
fn is_sexagesimal(text: &str) -> bool {
    let text = unsigned(text);
    let (text, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut groups = text.split(':');
    let first = groups.next().unwrap_or_default();
    let mut rest = groups.peekable();
    starts_with_digit(first)
        && all_digits_or_underscores(first)
        && all_digits_or_underscores(fraction)
        && rest.peek().is_some()
        && rest.all(is_sixtieth)
}

fn is_sixtieth(group: &str) -> bool {
    match group.as_bytes() {
        [digit] => digit.is_ascii_digit(),
        [tens, digit] => (b'0'..=b'5').contains(tens) && digit.is_ascii_digit(),
        _ => false,
    }
}

/// Numbers with underscores anywhere, or too large for go-yaml.
fn is_loose_number(text: &str) -> bool {
    let text = unsigned(text);
    let in_radix = |prefixes: [&str; 2], radix: u32| {
        let digits = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix));
        digits.is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| c == '_' || c.is_digit(radix)))
    };
    in_radix(["0x", "0X"], 16)
        || in_radix(["0b", "0B"], 2)
        || in_radix(["0o", "0O"], 8)
        || text.contains('_') && !text.starts_with('_') && is_decimal_float(&text.replace('_', ""))
}

fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut part = |shortest: usize, longest: usize| {
        parts.next().is_some_and(|part| (shortest..=longest).contains(&part.len()) && all_digits(part))
    };
    part(4, 4) && part(1, 2) && part(1, 2) && parts.next().is_none()
}

/// What follows the date, separator included: `t21:59:43.10-05:00`, ` 2:59:43`.
fn is_time(text: &str) -> bool {
    let time = match text.strip_prefix(['T', 't']) {
        Some(time) => time,
        None => text.trim_start_matches([' ', '\t']),
    };
    let (clock, zone) = time.split_at(time.find(['Z', '+', '-', ' ', '\t']).unwrap_or(time.len()));
    let (seconds, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let groups = || seconds.split(':');
    groups().count() == 3
        && groups().all(|group| (1..=2).contains(&group.len()) && all_digits(group))
        && all_digits(fraction)
        && is_zone(zone.trim_start_matches([' ', '\t']))
}

fn is_zone(zone: &str) -> bool {
    let Some(offset) = zone.strip_prefix(['+', '-']) else {
        return matches!(zone, "" | "Z");
    };
    let (hours, minutes) = offset.split_once(':').unwrap_or((offset, "00"));
    (1..=2).contains(&hours.len()) && all_digits(hours) && minutes.len() == 2 && all_digits(minutes)
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && all_digits(text)
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn all_digits_or_underscores(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
}

fn starts_with_digit(text: &str) -> bool {
    text.as_bytes().first().is_some_and(u8::is_ascii_digit)
}

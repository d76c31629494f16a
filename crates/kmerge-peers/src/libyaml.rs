//! libyaml, translated to Rust.

use std::mem::MaybeUninit;

use unsafe_libyaml as unsafe_sys;

/// How many events libyaml emits; `None` where it refuses the source.
#[must_use]
pub fn count_events(source: &str) -> Option<usize> {
    let mut count = 0;
    walk(source, |_| count += 1).then_some(count)
}

/// The events of libyaml; `None` where it refuses the source.
#[must_use]
pub fn events(source: &str) -> Option<Vec<String>> {
    let mut out = Vec::new();
    walk(source, |event| out.extend(describe(event))).then_some(out)
}

/// Calls `visit` for each event; whether the source was accepted.
fn walk(source: &str, mut visit: impl FnMut(&unsafe_sys::yaml_event_t)) -> bool {
    let mut parser = MaybeUninit::<unsafe_sys::yaml_parser_t>::uninit();
    let parser = parser.as_mut_ptr();
    // SAFETY: `parser` points to memory that `yaml_parser_initialize` initialises before any other use, `source` outlives
    // the parser, each event is initialised by `yaml_parser_parse` before it is read and deleted after, and the parser is
    // deleted once on every way out.
    unsafe {
        if unsafe_sys::yaml_parser_initialize(parser).fail {
            return false;
        }
        unsafe_sys::yaml_parser_set_input_string(parser, source.as_ptr(), source.len() as u64);
        let accepted = loop {
            let mut event = MaybeUninit::<unsafe_sys::yaml_event_t>::uninit();
            let event = event.as_mut_ptr();
            if unsafe_sys::yaml_parser_parse(parser, event).fail {
                break false;
            }
            visit(&*event);
            let is_end = (*event).type_ == unsafe_sys::YAML_STREAM_END_EVENT;
            unsafe_sys::yaml_event_delete(event);
            if is_end {
                break true;
            }
        };
        unsafe_sys::yaml_parser_delete(parser);
        accepted
    }
}

fn describe(event: &unsafe_sys::yaml_event_t) -> Option<String> {
    Some(match event.type_ {
        unsafe_sys::YAML_SCALAR_EVENT => {
            // SAFETY: the event's type says which member of the union is initialised; libyaml's value is `length` bytes of
            // UTF-8 that live as long as the event.
            let (value, style) = unsafe {
                let scalar = event.data.scalar;
                let bytes = std::slice::from_raw_parts(scalar.value, scalar.length as usize);
                (String::from_utf8_lossy(bytes).into_owned(), scalar.style)
            };
            let mark = match style {
                unsafe_sys::YAML_SINGLE_QUOTED_SCALAR_STYLE => '\'',
                unsafe_sys::YAML_DOUBLE_QUOTED_SCALAR_STYLE => '"',
                unsafe_sys::YAML_LITERAL_SCALAR_STYLE => '|',
                unsafe_sys::YAML_FOLDED_SCALAR_STYLE => '>',
                _ => ':',
            };
            if mark == ':' && value == "~" { "=VAL :".to_owned() } else { format!("=VAL {mark}{value}") }
        }
        unsafe_sys::YAML_MAPPING_START_EVENT => "+MAP".to_owned(),
        unsafe_sys::YAML_MAPPING_END_EVENT => "-MAP".to_owned(),
        unsafe_sys::YAML_SEQUENCE_START_EVENT => "+SEQ".to_owned(),
        unsafe_sys::YAML_SEQUENCE_END_EVENT => "-SEQ".to_owned(),
        unsafe_sys::YAML_ALIAS_EVENT => "=ALI".to_owned(),
        unsafe_sys::YAML_DOCUMENT_START_EVENT => "+DOC".to_owned(),
        _ => return None,
    })
}

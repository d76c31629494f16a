//! A batch on one live file in parts: each part gets the configurations that are for its objects.
//!
//! Invariant: the outcome is that of the whole file. Where it may not be, and where something is wrong, there is none, and the
//! whole file has to say it.

use kyaml_ast::{Span, Stream};

use super::session::{Session, identity};
use super::{Batch, NewObjects, Options, Outcome, Report};
use crate::apply::objects::{Directory, Found, Object, kindless, objects};
use crate::value::Source;

pub(super) fn apply((live, parts): (&str, &[Span]), config: &[Source<'_>], options: Options<'_>) -> Option<Outcome> {
    if options.new_objects == NewObjects::Apart || kindless(config).is_some() {
        return None;
    }
    let mut objects: Vec<Option<Object>> = objects(config).into_iter().map(Some).collect();
    let shares = shares((live, parts), &objects, options)?;
    let mut text = String::with_capacity(live.len());
    let mut reports = Vec::with_capacity(objects.len());
    let mut is_same = true;
    for (part, numbers) in parts.iter().zip(shares) {
        let share = numbers.iter().filter_map(|number| objects[*number].take()).collect();
        let stream = Stream::parse(part.of(live)).ok()?;
        let source = Source::new(&stream);
        let batch = Batch { live: std::slice::from_ref(&source), config, last_applied: None };
        let mut session = Session::of(batch, options, share).ok()?;
        session.apply_all().ok()?;
        let outcome = session.finish().and_then(super::UncheckedOutcome::checked).ok()?;
        let new = outcome.texts.into_iter().next().flatten();
        is_same &= new.is_none();
        text.push_str(new.as_deref().unwrap_or(part.of(live)));
        reports.extend(numbers.into_iter().zip(outcome.reports.into_iter().map(|report| moved(report, part.start))));
    }
    // As the configurations name them.
    reports.sort_unstable_by_key(|(number, _)| *number);
    let reports = reports.into_iter().map(|(_, report)| report).collect();
    Some(Outcome { texts: vec![(!is_same).then_some(text)], created: Vec::new(), reports })
}

fn moved(report: Report, by: u32) -> Report {
    let live = report.live.map(|(file, span)| (file, Span::new(span.start + by, span.end + by)));
    Report { live, ..report }
}

/// The numbers of the configurations for the objects of each part; new objects go to the last one.
fn shares((live, parts): (&str, &[Span]), config: &[Option<Object>], options: Options<'_>) -> Option<Vec<Vec<usize>>> {
    let (mut directory, mut ends, mut takes_new) = (Directory::default(), Vec::new(), false);
    for part in parts {
        let stream = Stream::parse(part.of(live)).ok()?;
        objects(&[Source::new(&stream)]).iter().for_each(|object| directory.add(&object.id));
        ends.push(directory.len());
        // Alone, a list would take them.
        takes_new = stream.documents().filter(|document| document.root().is_some()).count() > 1;
    }
    let directory = directory.finish().ok()?;
    let mut shares: Vec<Vec<usize>> = parts.iter().map(|_| Vec::new()).collect();
    for (number, object) in config.iter().flatten().enumerate() {
        let part = match directory.find(&identity(object, options)) {
            Found::One(index) => ends.partition_point(|end| *end <= index),
            Found::None if takes_new => parts.len() - 1,
            Found::None | Found::Several(..) => return None,
        };
        shares[part].push(number);
    }
    Some(shares)
}

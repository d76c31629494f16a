//! Applies a batch to one live file in parts. Each part gets the configurations for its objects.
//!
//! Invariant: the outcome is the same as for the whole file. If that is not certain, or if there is an error, there is
//! no outcome, and the whole file must be applied.

use kyaml_ast::{Span, Stream};

use super::session::{Session, identity};
use super::{NewObjects, Options, Outcome, Report, Sources};
use crate::apply::algorithm::Sides;
use crate::apply::objects::{Directory, Object, kindless};
use crate::apply::parts::{PART, parts};
use crate::value::Source;

pub(super) fn apply(batch: Sides<&[&str]>, options: Options<'_>) -> Option<Outcome> {
    let [live] = *batch.live else { return None };
    let parts = parts(live, PART);
    if parts.len() == 1 || batch.last_applied.is_some() || options.new_objects == NewObjects::Apart {
        return None;
    }
    let streams = batch.config.iter().map(|text| Stream::parse(text)).collect::<Result<Vec<_>, _>>().ok()?;
    let config: Vec<Source<'_>> = streams.iter().map(Source::new).collect();
    if kindless(&config).is_some() {
        return None;
    }
    apply_parts(Live { text: live, parts: &parts }, &config, options)
}

/// The live file, cut into parts.
#[derive(Clone, Copy)]
struct Live<'a> {
    text: &'a str,
    parts: &'a [Span],
}

fn apply_parts(live: Live<'_>, config: &[Source<'_>], options: Options<'_>) -> Option<Outcome> {
    let mut objects: Vec<Option<Object>> = Object::all(config).into_iter().map(Some).collect();
    let shares = shares(live, &objects, options)?;
    let mut text = String::with_capacity(live.text.len());
    let mut reports = Vec::with_capacity(objects.len());
    let mut is_same = true;
    for (part, numbers) in live.parts.iter().zip(shares) {
        let share = numbers.iter().filter_map(|number| objects[*number].take()).collect();
        let stream = Stream::parse(part.of(live.text)).ok()?;
        let source = Source::new(&stream);
        let batch = Sources { live: std::slice::from_ref(&source), config, last_applied: None };
        let mut session = Session::of(batch, options, share).ok()?;
        session.apply_all().ok()?;
        let outcome = session.finish().and_then(super::UncheckedOutcome::checked).ok()?;
        let new = outcome.texts.into_iter().next().flatten();
        is_same &= new.is_none();
        text.push_str(new.as_deref().unwrap_or(part.of(live.text)));
        reports.extend(numbers.into_iter().zip(outcome.reports.into_iter().map(|report| moved(report, part.start))));
    }
    // In the order of the configurations.
    reports.sort_unstable_by_key(|(number, _)| *number);
    let reports = reports.into_iter().map(|(_, report)| report).collect();
    Some(Outcome { texts: vec![(!is_same).then_some(text)], created: Vec::new(), reports })
}

fn moved(report: Report, by: u32) -> Report {
    let live = report.live.map(|(file, span)| (file, Span::new(span.start + by, span.end + by)));
    Report { live, ..report }
}

/// For each part, the numbers of the configurations for its objects. New objects go to the last part.
fn shares(live: Live<'_>, config: &[Option<Object>], options: Options<'_>) -> Option<Vec<Vec<usize>>> {
    let (mut directory, mut ends, mut takes_new) = (Directory::default(), Vec::new(), false);
    for part in live.parts {
        let stream = Stream::parse(part.of(live.text)).ok()?;
        Object::all(&[Source::new(&stream)]).iter().for_each(|object| directory.add(&object.id));
        ends.push(directory.len());
        // A list that is the only document of its part would take new objects as items.
        takes_new = stream.documents().filter(|document| document.root().is_some()).count() > 1;
    }
    let directory = directory.finish().ok()?;
    let mut shares: Vec<Vec<usize>> = live.parts.iter().map(|_| Vec::new()).collect();
    for (number, object) in config.iter().flatten().enumerate() {
        let part = match directory.find(&identity(object, options)) {
            Ok(Some(index)) => ends.partition_point(|end| *end <= index),
            Ok(None) if takes_new => live.parts.len() - 1,
            Ok(None) | Err(_) => return None,
        };
        shares[part].push(number);
    }
    Some(shares)
}

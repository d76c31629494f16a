//! Builds what was loaded: kustomizations in the order in which they name each other, each as often as it is named.
//!
//! What is built a second time is built from its files as they are, whatever the patches made of it the first time. What
//! turned out to give nothing is not built again, so that kustomizations that name each other many times over cost no
//! more than the resources that they give.

use std::collections::HashSet;

use anyhow::ensure;
use kmerge_core::build::{BuildError, KustomizationKind, Session};

use super::explain;
use super::load::{Loaded, Step};

/// Steps that a build may take: what gives resources may double them again and again, each time with other names.
const MOST: usize = 100_000;

/// What a build is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Its resources go to a cluster.
    Print,
    /// The files are changed.
    Bake,
}

/// What becomes of the texts.
pub(super) struct Built {
    /// The text of each use; those that are used first are those that were loaded.
    pub(super) uses: Vec<usize>,
    /// The uses that give resources, in their order.
    pub(super) order: Vec<usize>,
    /// The new content of each use; `None` where it stays as it is.
    pub(super) texts: Vec<Option<String>>,
}

/// A build on its way.
struct Sequence<'l, 'a, 't> {
    loaded: &'l Loaded,
    session: Session<'a, 't>,
    uses: Vec<usize>,
    order: Vec<usize>,
    added: HashSet<usize>,
}

/// A kustomization on its way.
struct Frame {
    node: usize,
    next: usize,
    /// Steps of the session when it began.
    began: usize,
}

/// Takes the steps of all kustomizations.
pub(super) fn carry_out(loaded: &Loaded, session: Session<'_, '_>, purpose: Purpose) -> anyhow::Result<Built> {
    let uses = (0..loaded.texts.len()).collect();
    let mut sequence = Sequence { loaded, session, uses, order: Vec::new(), added: HashSet::new() };
    let (mut frames, mut empty) = (Vec::new(), HashSet::new());
    let (mut taken, mut done) = (0, 0);
    frames.push(sequence.enter(0, done));
    while let Some(frame) = frames.last_mut() {
        ensure!(taken < MOST, "the kustomizations name each other more than {MOST} times");
        taken += 1;
        let Some(step) = loaded.nodes[frame.node].steps.get(frame.next) else {
            if sequence.leave(frame, done)? {
                empty.insert(frame.node);
            }
            frames.pop();
            continue;
        };
        frame.next += 1;
        match step {
            Step::Build { node } if empty.contains(node) => {}
            Step::Build { node } => frames.push(sequence.enter(*node, done)),
            step => {
                sequence.take(step).map_err(|error| sequence.explain(error, Some(step)))?;
                done += 1;
            }
        }
    }
    sequence.finish(purpose)
}

impl Sequence<'_, '_, '_> {
    fn enter(&mut self, node: usize, began: usize) -> Frame {
        if self.loaded.nodes[node].kind == KustomizationKind::Kustomization {
            self.session.open();
        }
        Frame { node, next: 0, began }
    }

    /// Ends a kustomization, and says whether it came to nothing.
    fn leave(&mut self, frame: &Frame, done: usize) -> anyhow::Result<bool> {
        match self.loaded.nodes[frame.node].kind {
            KustomizationKind::Kustomization => {
                let count = self.session.close().map_err(|error| self.explain(error, None))?;
                Ok(count == 0)
            }
            KustomizationKind::Component => Ok(frame.began == done),
        }
    }

    fn take(&mut self, step: &Step) -> Result<(), Box<BuildError>> {
        match step {
            Step::Build { .. } => Ok(()),
            Step::Add { text } => {
                let at = self.next_use(*text);
                self.order.push(at);
                self.session.add(at)
            }
            Step::Patch { text, entry, .. } => self.session.patch(*text, entry).map(drop),
            Step::Transform { owner, transform } => self.session.transform(transform, *owner),
        }
    }

    fn next_use(&mut self, text: usize) -> usize {
        if self.added.insert(text) {
            return text;
        }
        self.uses.push(text);
        self.session.again(text)
    }

    fn explain(&self, mut error: Box<BuildError>, step: Option<&Step>) -> anyhow::Error {
        for place in &mut error.places {
            place.text = self.uses[place.text];
        }
        explain::explain(&error, self.loaded, step).into()
    }

    fn finish(mut self, purpose: Purpose) -> anyhow::Result<Built> {
        self.session.follow_names().map_err(|error| self.explain(error, None))?;
        if purpose == Purpose::Print {
            self.session.leave_out_local().map_err(|error| self.explain(error, None))?;
        }
        let Self { loaded, session, uses, order, .. } = self;
        let texts = session.finish().map_err(|mut error| {
            error.places.iter_mut().for_each(|place| place.text = uses[place.text]);
            explain::explain(&error, loaded, None)
        })?;
        Ok(Built { uses, order, texts })
    }
}

//! Reads a kustomization and everything that it names: texts, and the steps of the build in order.
//!
//! Kustomizations may name each other to any depth; no kustomization may name itself, in however many steps.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use anyhow::Context as _;
use kmerge_core::build::{
    Kustomization, KustomizationError, KustomizationErrorKind, KustomizationKind, PatchEntry, PatchText, Reference,
    Unapplied,
};

use crate::cli::build::LoadRestrictor;
use crate::cmd::patch::in_block_style;
use crate::diagnostic::{Code, Diagnostic};
use crate::input::Source;

/// The names of kustomization files.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Steps that a build may have: kustomizations that name others many times over have no end of them.
const MOST: usize = 100_000;

/// A text of the build.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) source: Source,
    /// How the user wrote it, where the source is another spelling of it.
    pub(super) written: Option<Source>,
    /// The file itself.
    pub(super) path: Option<PathBuf>,
}

/// What is to be done.
#[derive(Debug)]
pub(super) enum Step {
    Open,
    Close,
    Add { text: usize },
    Patch { text: usize, owner: usize, entry: Box<PatchEntry> },
}

/// All that a kustomization names.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub(super) texts: Vec<Text>,
    pub(super) steps: Vec<Step>,
    /// Indices of kustomization files.
    pub(super) kustomizations: Vec<usize>,
    /// What is not applied, with the index of the kustomization that says it.
    pub(super) unapplied: Vec<(usize, Unapplied)>,
    by_path: HashMap<PathBuf, usize>,
}

/// What is still to be read.
enum Task {
    Enter { directory: PathBuf, named: Option<(usize, Reference)>, kind: KustomizationKind },
    Resource(Named),
    Component(Named),
    Patch { entry: Box<PatchEntry>, directory: PathBuf, owner: usize, number: usize },
    Leave { kind: KustomizationKind },
}

/// A path that a kustomization names.
struct Named {
    reference: Reference,
    directory: PathBuf,
    owner: usize,
}

/// Reads the kustomization of a directory.
pub(super) fn load(directory: &Path, restrictor: LoadRestrictor) -> anyhow::Result<Loaded> {
    let (mut loaded, mut open) = (Loaded::default(), Vec::new());
    let kind = KustomizationKind::Kustomization;
    let mut tasks = vec![Task::Enter { directory: directory.to_owned(), named: None, kind }];
    while let Some(task) = tasks.pop() {
        anyhow::ensure!(loaded.steps.len() < MOST, "the kustomizations name each other more than {MOST} times");
        match task {
            Task::Enter { directory, named, kind } => {
                loaded.enter(&directory, named.as_ref(), kind, (&mut open, &mut tasks))?;
            }
            Task::Resource(named) => loaded.resource(named, restrictor, &mut tasks)?,
            Task::Component(named) => {
                let directory = named.directory.join(&named.reference.text);
                let (named, kind) = (Some((named.owner, named.reference)), KustomizationKind::Component);
                tasks.push(Task::Enter { directory, named, kind });
            }
            Task::Patch { entry, directory, owner, number } => {
                let text = loaded.patch(&entry.text, (&directory, owner, number), restrictor)?;
                loaded.steps.push(Step::Patch { text, owner, entry });
            }
            Task::Leave { kind } => {
                open.pop();
                if kind == KustomizationKind::Kustomization {
                    loaded.steps.push(Step::Close);
                }
            }
        }
    }
    Ok(loaded)
}

impl Loaded {
    fn enter(
        &mut self,
        directory: &Path,
        named: Option<&(usize, Reference)>,
        kind: KustomizationKind,
        (open, tasks): (&mut Vec<PathBuf>, &mut Vec<Task>),
    ) -> anyhow::Result<()> {
        let fail = |loaded: &Self, message: String| match named {
            Some((owner, reference)) => loaded.at(*owner, reference, message),
            None => Diagnostic::error(Code::Kustomization, message),
        };
        let Some(file) = kustomization_file(directory) else {
            let shown = shown(directory);
            let message = format!("there is no kustomization in {}", shown.display());
            return Err(fail(self, message).help(format!("it would be called {}", NAMES.join(", "))).into());
        };
        let directory = file.parent().map_or_else(|| PathBuf::from("."), Path::to_owned);
        let real = real(&directory)?;
        if open.contains(&real) {
            return Err(fail(self, format!("{} names itself", shown(&directory).display())).into());
        }
        let text = self.read(&file)?;
        let kustomization = {
            let source = &self.texts[text].source;
            Kustomization::read(&source.parse()?).map_err(|error| explain(&error, source))?
        };
        if kustomization.kind != kind {
            let (expected, found) = (kind_name(kind), kind_name(kustomization.kind));
            let help = match kind {
                KustomizationKind::Kustomization => "components are named under `components`",
                KustomizationKind::Component => "kustomizations are named under `resources`",
            };
            return Err(fail(self, format!("expected a {expected}, found a {found}")).help(help).into());
        }
        open.push(real);
        self.kustomizations.push(text);
        if kind == KustomizationKind::Kustomization {
            self.steps.push(Step::Open);
        }
        self.unapplied.extend(kustomization.unapplied.iter().map(|field| (text, field.clone())));
        plan(kustomization, &directory, text, tasks);
        Ok(())
    }

    fn resource(&mut self, named: Named, restrictor: LoadRestrictor, tasks: &mut Vec<Task>) -> anyhow::Result<()> {
        let path = named.directory.join(&named.reference.text);
        if path.is_dir() && !named.reference.text.is_empty() {
            let (named, kind) = (Some((named.owner, named.reference)), KustomizationKind::Kustomization);
            tasks.push(Task::Enter { directory: path, named, kind });
            return Ok(());
        }
        let text = self.file(&named.reference, (&named.directory, named.owner), restrictor)?;
        self.steps.push(Step::Add { text });
        Ok(())
    }

    /// A file that a kustomization names.
    fn file(
        &mut self,
        reference: &Reference,
        (directory, owner): (&Path, usize),
        restrictor: LoadRestrictor,
    ) -> anyhow::Result<usize> {
        let path = directory.join(&reference.text);
        if !path.is_file() {
            let is_remote = is_remote(&reference.text);
            let message = match is_remote {
                true => format!("{} is not on this machine, and nothing is fetched", reference.text),
                false => format!("there is no {}", shown(&path).display()),
            };
            let error = self.at(owner, reference, message);
            return Err(if is_remote { error.help("fetch it, and name the copy") } else { error }.into());
        }
        if restrictor == LoadRestrictor::Root && !real(&path)?.starts_with(real(directory)?) {
            let directory = shown(directory);
            let message = format!("{} is not in or below {}", shown(&path).display(), directory.display());
            return Err(self.at(owner, reference, message).help("--load-restrictor none allows it").into());
        }
        self.read(&path)
    }

    fn patch(
        &mut self,
        text: &PatchText,
        (directory, owner, number): (&Path, usize, usize),
        restrictor: LoadRestrictor,
    ) -> anyhow::Result<usize> {
        let inline = match text {
            PatchText::Path(path) => return self.patch_file(path, (directory, owner), restrictor),
            PatchText::Either(text) if directory.join(&text.text).is_file() || !text.text.contains(['\n', ':']) => {
                return self.patch_file(text, (directory, owner), restrictor);
            }
            PatchText::Either(text) | PatchText::Inline(text) => text,
        };
        let name = format!("{}: patch {}", self.texts[owner].source.name, number + 1);
        Ok(self.keep(Source::new(name, inline.text.as_str()), None))
    }

    fn patch_file(
        &mut self,
        reference: &Reference,
        (directory, owner): (&Path, usize),
        restrictor: LoadRestrictor,
    ) -> anyhow::Result<usize> {
        let index = self.file(reference, (directory, owner), restrictor)?;
        let text = &mut self.texts[index];
        if let (None, Some(restyled)) = (&text.written, in_block_style(&text.source, false)) {
            text.written = Some(std::mem::replace(&mut text.source, restyled));
        }
        Ok(index)
    }

    /// Reads a file, once.
    fn read(&mut self, path: &Path) -> anyhow::Result<usize> {
        let real = real(path)?;
        if let Some(index) = self.by_path.get(&real) {
            return Ok(*index);
        }
        let source = Source::read_as(path, Some(&shown(path).display().to_string()))?;
        self.by_path.insert(real.clone(), self.texts.len());
        self.texts.push(Text { source, written: None, path: Some(real) });
        Ok(self.texts.len() - 1)
    }

    /// Keeps a patch; in block style, so that what it adds is written as people write it.
    fn keep(&mut self, source: Source, path: Option<PathBuf>) -> usize {
        let (source, written) = match in_block_style(&source, false) {
            Some(restyled) => (restyled, Some(source)),
            None => (source, None),
        };
        self.texts.push(Text { source, written, path });
        self.texts.len() - 1
    }

    fn at(&self, owner: usize, reference: &Reference, message: String) -> Diagnostic {
        Diagnostic::error(Code::Kustomization, message).at(&self.texts[owner].source, reference.span, "")
    }
}

/// The tasks of a kustomization, the first one last.
fn plan(kustomization: Kustomization, directory: &Path, owner: usize, tasks: &mut Vec<Task>) {
    let named = |reference| Named { reference, directory: directory.to_owned(), owner };
    tasks.push(Task::Leave { kind: kustomization.kind });
    for (number, entry) in kustomization.patches.into_iter().enumerate().rev() {
        tasks.push(Task::Patch { entry: Box::new(entry), directory: directory.to_owned(), owner, number });
    }
    tasks.extend(kustomization.components.into_iter().rev().map(|reference| Task::Component(named(reference))));
    tasks.extend(kustomization.resources.into_iter().rev().map(|reference| Task::Resource(named(reference))));
}

fn kustomization_file(path: &Path) -> Option<PathBuf> {
    if path.is_file() && path.file_name().is_some_and(|name| NAMES.iter().any(|known| name == *known)) {
        return Some(path.to_owned());
    }
    NAMES.iter().map(|name| path.join(name)).find(|file| file.is_file())
}

const fn kind_name(kind: KustomizationKind) -> &'static str {
    match kind {
        KustomizationKind::Kustomization => "kustomization",
        KustomizationKind::Component => "component",
    }
}

fn real(path: &Path) -> anyhow::Result<PathBuf> {
    path.canonicalize().with_context(|| format!("cannot read {}", path.display()))
}

fn is_remote(text: &str) -> bool {
    let is_host =
        |text: &str| text.split_once('/').is_some_and(|(host, _)| host.contains('.') && !host.starts_with('.'));
    text.contains("://")
        || text.contains("?ref=")
        || text.contains("git@")
        || text.starts_with("git::")
        || is_host(text)
}

/// A path without the detours that kustomizations take: `overlays/prod/../../base` is `base`.
pub(super) fn shown(path: &Path) -> PathBuf {
    let mut shown = PathBuf::new();
    for component in path.components() {
        match (component, shown.components().next_back()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => drop(shown.pop()),
            _ => shown.push(component),
        }
    }
    if shown.as_os_str().is_empty() { PathBuf::from(".") } else { shown }
}

pub(super) fn explain(error: &KustomizationError, source: &Source) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::Kustomization, error.to_string()).at(source, error.span, "");
    match &error.kind {
        KustomizationErrorKind::UnknownField(field) => {
            let known = kmerge_core::build::FIELDS;
            let near =
                known.into_iter().find(|known| known.eq_ignore_ascii_case(field) || known.starts_with(field.as_str()));
            match near {
                Some(near) => diagnostic.help(format!("there is {near}")),
                None => diagnostic,
            }
        }
        _ => diagnostic,
    }
}

//! Reads a kustomization and everything that it names: texts, and what each kustomization does in order.
//!
//! Kustomizations may name each other to any depth, and one may be named by many; each directory is read once, however
//! its path is written. No kustomization may name itself, in however many steps.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use anyhow::Context as _;
use kmerge_core::build::{
    Kustomization, KustomizationError, KustomizationKind, Order, PatchEntry, PatchText, Reference, Transform, Work,
};

use crate::cli::build::LoadRestrictor;
use crate::cmd::patch::in_block_style;
use crate::diagnostic::{Code, Diagnostic};
use crate::input::Source;

/// The names of kustomization files.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

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
    /// Builds a kustomization or component, by its index among the nodes.
    Build {
        node: usize,
    },
    Add {
        text: usize,
    },
    Patch {
        text: usize,
        owner: usize,
        entry: Box<PatchEntry>,
    },
    Transform {
        owner: usize,
        transform: Box<Transform>,
    },
}

/// A kustomization or component.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: KustomizationKind,
    pub(super) steps: Vec<Step>,
    /// Index of its text.
    owner: usize,
    directory: PathBuf,
    /// Whether something that it names is still being read.
    is_open: bool,
}

/// All that a kustomization names.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) texts: Vec<Text>,
    /// The first one is what is built.
    pub(super) nodes: Vec<Node>,
    /// What is not applied, with the index of the kustomization that says it.
    pub(super) unapplied: Vec<(usize, Reference)>,
    /// The first definitions of kinds that a kustomization names; they hold for all.
    pub(super) schema: Option<usize>,
    /// The order that the first kustomization asks for.
    pub(super) order: Option<Order>,
    scope: Scope,
    by_path: HashMap<PathBuf, usize>,
    by_directory: HashMap<PathBuf, usize>,
    restrictor: LoadRestrictor,
}

/// What of a kustomization is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// All that can be done.
    All,
    /// Patches only.
    Patches,
}

/// What is still to be read.
enum Task {
    Enter { directory: PathBuf, named: Option<Named>, kind: KustomizationKind },
    Resource(Named),
    Component(Named),
    Patch { entry: Box<PatchEntry>, node: usize, number: usize },
    Transform { transform: Box<Transform>, node: usize },
    Leave { node: usize },
}

/// A path that a kustomization names.
struct Named {
    reference: Reference,
    node: usize,
}

/// Reads the kustomization of a directory.
pub(super) fn load(directory: &Path, restrictor: LoadRestrictor, scope: Scope) -> anyhow::Result<Loaded> {
    let mut loaded = Loaded {
        texts: Vec::new(),
        nodes: Vec::new(),
        unapplied: Vec::new(),
        schema: None,
        order: None,
        scope,
        by_path: HashMap::new(),
        by_directory: HashMap::new(),
        restrictor,
    };
    let kind = KustomizationKind::Kustomization;
    let mut tasks = vec![Task::Enter { directory: directory.to_owned(), named: None, kind }];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Enter { directory, named, kind } => {
                let node = loaded.enter(&directory, named.as_ref(), kind, &mut tasks)?;
                if let Some(named) = named {
                    loaded.nodes[named.node].steps.push(Step::Build { node });
                }
            }
            Task::Resource(named) => loaded.resource(named, &mut tasks)?,
            Task::Component(named) => {
                let directory = loaded.nodes[named.node].directory.join(&named.reference.text);
                tasks.push(Task::Enter { directory, named: Some(named), kind: KustomizationKind::Component });
            }
            Task::Patch { entry, node, number } => {
                let text = loaded.patch(&entry.text, node, number)?;
                let owner = loaded.nodes[node].owner;
                loaded.nodes[node].steps.push(Step::Patch { text, owner, entry });
            }
            Task::Transform { transform, node } => {
                let Node { owner, steps, .. } = &mut loaded.nodes[node];
                steps.push(Step::Transform { owner: *owner, transform });
            }
            Task::Leave { node } => loaded.nodes[node].is_open = false,
        }
    }
    Ok(loaded)
}

impl Loaded {
    /// Indices of the kustomization files.
    pub(super) fn kustomizations(&self) -> impl Iterator<Item = usize> {
        self.nodes.iter().map(|node| node.owner)
    }

    /// Everything that is done, by the kustomization that does it.
    pub(super) fn steps(&self) -> impl Iterator<Item = &Step> {
        self.nodes.iter().flat_map(|node| &node.steps)
    }

    /// Reads the kustomization of a directory unless it is known, and returns its index.
    fn enter(
        &mut self,
        directory: &Path,
        named: Option<&Named>,
        kind: KustomizationKind,
        tasks: &mut Vec<Task>,
    ) -> anyhow::Result<usize> {
        if let [first, second, ..] = &kustomization_files(directory)[..] {
            let message = format!(
                "{} and {} are kustomizations of one directory",
                shown(first).display(),
                shown(second).display()
            );
            return Err(self.fail(named, message).help("keep one of them").into());
        }
        let Some(file) = kustomization_file(directory) else {
            let message = format!("there is no kustomization in {}", shown(directory).display());
            return Err(self.fail(named, message).help(format!("it would be called {}", NAMES.join(", "))).into());
        };
        let directory = file.parent().map_or_else(|| PathBuf::from("."), Path::to_owned);
        let directory = if directory.as_os_str().is_empty() { PathBuf::from(".") } else { directory };
        let place = real(&directory)?;
        let known = self.by_directory.get(&place).copied();
        let node = match known {
            Some(node) if self.nodes[node].is_open => return Err(self.fail(named, self.cycle(node)).into()),
            Some(node) => node,
            None => self.read_node(&file, directory, named)?,
        };
        let found = self.nodes[node].kind;
        if found != kind {
            let help = match kind {
                KustomizationKind::Kustomization => "components are named under `components`",
                KustomizationKind::Component => "kustomizations are named under `resources`",
            };
            let message = format!("expected a {}, found a {}", kind_name(kind), kind_name(found));
            return Err(self.fail(named, message).help(help).into());
        }
        if known.is_none() {
            self.by_directory.insert(place, node);
            self.plan(node, tasks)?;
        }
        Ok(node)
    }

    /// Reads a kustomization file.
    fn read_node(&mut self, file: &Path, directory: PathBuf, named: Option<&Named>) -> anyhow::Result<usize> {
        if self.restrictor == LoadRestrictor::Root && !real(file)?.starts_with(real(&directory)?) {
            let message = format!("{} is a link out of its directory", shown(file).display());
            return Err(self.fail(named, message).help("--load-restrictor none allows it").into());
        }
        let owner = self.read(file)?;
        let kind = self.kustomization(owner)?.kind;
        self.nodes.push(Node { kind, steps: Vec::new(), owner, directory, is_open: true });
        Ok(self.nodes.len() - 1)
    }

    fn kustomization(&self, text: usize) -> anyhow::Result<Kustomization> {
        let source = &self.texts[text].source;
        Ok(Kustomization::read(&source.parse()?).map_err(|error| explain(&error, source))?)
    }

    /// The tasks of a kustomization, the first one last.
    fn plan(&mut self, node: usize, tasks: &mut Vec<Task>) -> anyhow::Result<()> {
        let owner = self.nodes[node].owner;
        let kustomization = self.kustomization(owner)?;
        self.unapplied.extend(kustomization.unapplied.into_iter().map(|field| (owner, field)));
        if self.schema.is_none() {
            self.schema = kustomization.schema.map(|path| self.file(&path, node)).transpose()?;
        }
        if node == 0 {
            self.order = kustomization.order;
        }
        let named = |reference| Named { reference, node };
        tasks.push(Task::Leave { node });
        let first = tasks.len();
        let mut number = 0;
        for work in kustomization.work {
            match work {
                Work::Patch(entry) => {
                    tasks.push(Task::Patch { entry, node, number });
                    number += 1;
                }
                Work::Transform(transform) if self.scope == Scope::All => {
                    tasks.push(Task::Transform { transform, node });
                }
                Work::Transform(transform) => self.leave_out(owner, &transform),
            }
        }
        tasks[first..].reverse();
        tasks.extend(kustomization.components.into_iter().rev().map(|reference| Task::Component(named(reference))));
        tasks.extend(kustomization.resources.into_iter().rev().map(|reference| Task::Resource(named(reference))));
        Ok(())
    }

    /// Notes a transformer that is not applied, once for its field.
    fn leave_out(&mut self, owner: usize, transform: &Transform) {
        let is_known = |(other, field): &(usize, Reference)| *other == owner && field.span == transform.span;
        if !self.unapplied.iter().any(is_known) {
            let field = Reference { text: transform.field.to_owned(), span: transform.span };
            self.unapplied.push((owner, field));
        }
    }

    /// `a names itself: a → b → a`
    fn cycle(&self, node: usize) -> String {
        let name = |node: &Node| shown(&node.directory).display().to_string();
        let first = name(&self.nodes[node]);
        let way: Vec<String> = self.nodes[node..].iter().filter(|node| node.is_open).map(name).collect();
        match way.as_slice() {
            [_] => format!("{first} names itself"),
            way => format!("{first} names itself: {} → {first}", way.join(" → ")),
        }
    }

    fn resource(&mut self, named: Named, tasks: &mut Vec<Task>) -> anyhow::Result<()> {
        let path = self.nodes[named.node].directory.join(&named.reference.text);
        if path.is_dir() && !named.reference.text.is_empty() {
            let kind = KustomizationKind::Kustomization;
            tasks.push(Task::Enter { directory: path, named: Some(named), kind });
            return Ok(());
        }
        let text = self.file(&named.reference, named.node)?;
        self.nodes[named.node].steps.push(Step::Add { text });
        Ok(())
    }

    /// A file that a kustomization names.
    fn file(&mut self, reference: &Reference, node: usize) -> anyhow::Result<usize> {
        let Node { owner, directory, .. } = &self.nodes[node];
        let path = directory.join(&reference.text);
        if !path.is_file() {
            let is_remote = is_remote(&reference.text);
            let message = match is_remote {
                true => format!("{} is not on this machine, and nothing is fetched", reference.text),
                false => format!("there is no {}", shown(&path).display()),
            };
            let error = self.at(*owner, reference, message);
            return Err(if is_remote { error.help("fetch it, and name the copy") } else { error }.into());
        }
        if self.restrictor == LoadRestrictor::Root && !real(&path)?.starts_with(real(directory)?) {
            let directory = shown(directory);
            let message = format!("{} is not in or below {}", shown(&path).display(), directory.display());
            return Err(self.at(*owner, reference, message).help("--load-restrictor none allows it").into());
        }
        self.read(&path)
    }

    fn patch(&mut self, text: &PatchText, node: usize, number: usize) -> anyhow::Result<usize> {
        let Node { owner, directory, .. } = &self.nodes[node];
        let inline = match text {
            PatchText::Path(path) => return self.patch_file(path, node),
            PatchText::Either(text) if directory.join(&text.text).is_file() || !text.text.contains(['\n', ':']) => {
                return self.patch_file(text, node);
            }
            PatchText::Either(text) | PatchText::Inline(text) => text,
        };
        let name = format!("{}: patch {}", self.texts[*owner].source.name, number + 1);
        Ok(self.keep(Source::new(name, inline.text.as_str()), None))
    }

    fn patch_file(&mut self, reference: &Reference, node: usize) -> anyhow::Result<usize> {
        let index = self.file(reference, node)?;
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

    /// An error about a path, where the kustomization names it.
    fn fail(&self, named: Option<&Named>, message: String) -> Diagnostic {
        match named {
            Some(Named { reference, node }) => self.at(self.nodes[*node].owner, reference, message),
            None => Diagnostic::error(Code::Kustomization, message),
        }
    }
}

fn kustomization_file(path: &Path) -> Option<PathBuf> {
    if path.is_file() && path.file_name().is_some_and(|name| NAMES.iter().any(|known| name == *known)) {
        return Some(path.to_owned());
    }
    kustomization_files(path).into_iter().next()
}

/// The files with the name of a kustomization in a directory.
fn kustomization_files(directory: &Path) -> Vec<PathBuf> {
    NAMES.iter().map(|name| directory.join(name)).filter(|file| file.is_file()).collect()
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
    match error.similar_field() {
        Some(near) => diagnostic.help(format!("there is {near}")),
        None => diagnostic,
    }
}

//! What a list of items is in YAML.

use kyaml_ast::{Document, Node, Path, Stream};

use super::Item;

/// A kind of list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// Containers of a pod: known by their names.
    Containers,
    /// Tasks: known by their names, run in turn.
    Tasks,
    /// Init containers: by a schema that knows that they run in turn.
    InitContainers,
    /// Arguments: where they stand means something.
    Args,
    /// Words, each of which stands once.
    Words,
    /// The resources of a kustomization: a set.
    Resources,
    /// Maps without a name.
    Steps,
}

impl Shape {
    /// All.
    pub const ALL: [Self; 7] =
        [Self::Containers, Self::Tasks, Self::InitContainers, Self::Args, Self::Words, Self::Resources, Self::Steps];

    /// Whether an item has more than a name.
    #[must_use]
    pub const fn has_values(self) -> bool {
        matches!(self, Self::Containers | Self::Tasks | Self::InitContainers | Self::Steps)
    }

    /// Whether the order means nothing.
    pub(super) const fn is_set(self) -> bool {
        matches!(self, Self::Resources)
    }

    /// Whether two insertions at one place are in conflict.
    pub(super) const fn has_turns(self) -> bool {
        matches!(self, Self::Tasks | Self::InitContainers | Self::Args | Self::Steps)
    }

    const fn head(self) -> &'static str {
        match self {
            Self::Containers => "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n",
            Self::InitContainers => "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  initContainers:\n",
            Self::Tasks => "hosts: all\nplay:\n  tasks:\n",
            Self::Args => "job:\n  deep:\n    args:\n",
            Self::Words => "job:\n  deep:\n    words:\n",
            Self::Resources => "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n",
            Self::Steps => "job:\n  deep:\n    steps:\n",
        }
    }

    const fn path(self) -> &'static str {
        match self {
            Self::Containers => ".spec.containers",
            Self::InitContainers => ".spec.initContainers",
            Self::Tasks => ".play.tasks",
            Self::Args => ".job.deep.args",
            Self::Words => ".job.deep.words",
            Self::Resources => ".resources",
            Self::Steps => ".job.deep.steps",
        }
    }

    /// The file that holds the items.
    pub(super) fn text(self, items: &[Item]) -> String {
        let mut text = self.head().to_owned();
        for Item { name, value } in items {
            // What tells items apart is long enough for a comparison by likeness.
            let long = name.to_string().repeat(12);
            text += &match self {
                Self::Containers | Self::InitContainers => format!("  - name: {name}\n    image: r/{long}:{value}\n"),
                Self::Tasks => format!("  - name: {name}\n    shell: run {long} {value}\n    become: true\n"),
                Self::Args => format!("    - {name}\n"),
                Self::Words => format!("    - {long}\n"),
                Self::Resources => format!("- {name}.yaml\n"),
                Self::Steps => format!("    - run: {long}\n      at: {long}-{long}\n      with: {value}\n"),
            };
        }
        if items.is_empty() {
            text.truncate(text.len() - 1);
            text += " []\n";
        }
        text
    }

    /// The items of a file; `None` where there is no such list.
    pub(super) fn read(self, text: &str) -> Option<Vec<Item>> {
        let stream = Stream::parse(text).ok()?;
        let path: Path = self.path().parse().ok()?;
        let mut list = stream.documents().next().and_then(Document::root)?;
        for segment in path.segments() {
            list = child(list, &segment.to_string())?;
        }
        list.children().map(|node| self.item(node)).collect()
    }

    fn item(self, node: Node<'_>) -> Option<Item> {
        let field = |name: &str| child(node, name).map(|value| value.value().into_owned());
        let digit = |text: &str| text.chars().last()?.to_digit(10).map(|digit| digit as u8);
        let (name, value) = match self {
            Self::Containers | Self::InitContainers => (field("name")?, digit(&field("image")?)?),
            Self::Tasks => (field("name")?, digit(&field("shell")?)?),
            Self::Steps => (field("run")?, digit(&field("with")?)?),
            Self::Args | Self::Words | Self::Resources => (node.value().into_owned(), 0),
        };
        Some(Item { name: name.chars().next()?, value })
    }
}

fn child<'t>(mapping: Node<'t>, name: &str) -> Option<Node<'t>> {
    let name = name.trim_start_matches('.');
    mapping.entries().find(|entry| entry.key().is_some_and(|key| key.value() == name)).map(kyaml_ast::Entry::value)
}

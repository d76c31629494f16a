//! A position in a schema, and what it says about the value there.
//!
//! Moving is a binary search among the fields of one type at most; nothing is allocated.

use kyaml_ast::Node;

use super::pod;
use super::rules::{RuleList, Scope, State};
use super::table::{ListRow, MapKind, Node as SchemaNode, NodeId, Owner, Shape};
use super::turns::{Places, Turns};
use super::{Keys, Schema, ValueType};

/// A position in a [`Schema`], moved along with the walk through a resource.
#[derive(Clone, Copy)]
pub struct Cursor<'s> {
    schema: &'s Schema,
    place: Place,
    coverage: Coverage,
    scope: Scope,
    rules: State,
    turns: Turns,
}

/// Whether the types here have all fields of their objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coverage {
    Complete,
    /// The type is that of an older or newer version of the kind.
    Similar,
}

/// Where a cursor stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a resource of an unknown kind.
    NoSchema,
    /// At the root of a resource of an unknown kind: its metadata are like every resource's.
    UnknownKind,
    /// At or below a field that its known type does not have.
    UnknownField,
    Known(NodeId),
}

/// How much the schema says about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Knowledge {
    /// The kind of the resource is not known.
    NoSchema,
    /// The kind is known, but no field of its type leads here.
    UnknownField,
    /// The schema allows anything here.
    Free,
    /// The type is known.
    Known,
}

/// How the elements of a list are paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListKind<'s> {
    /// Not at all: the list is one value.
    Atomic,
    /// Scalars, each of which is in the list or not.
    Set,
    /// By these keys.
    Keyed(Keys<'s>),
    /// The schema does not say: look at the elements.
    Infer,
}

/// Who decided how a list merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSource {
    /// A rule that the user gave.
    User,
    /// A custom resource definition.
    Crd,
    /// The built-in kinds.
    Builtin,
    /// Nobody; the elements decide.
    Inferred,
}

/// A list's kind and who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListRule<'s> {
    /// How elements are paired.
    pub(crate) kind: ListKind<'s>,
    /// Who says so.
    pub(crate) source: RuleSource,
}

impl ListRule<'_> {
    /// What the rule says: names of fields with commas between them, or `set`; `None` where it names no keys.
    pub(crate) fn declared(self) -> Option<String> {
        match self.kind {
            ListKind::Keyed(keys) => Some(keys.to_string()),
            ListKind::Set => Some("set".to_owned()),
            ListKind::Atomic | ListKind::Infer => None,
        }
    }
}

/// What a strategic merge patch does with a field (`x-kubernetes-patch-strategy`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PatchStrategy {
    /// Maps merge, lists are replaced.
    #[default]
    Default,
    /// Lists merge too.
    Merge,
    /// Maps are replaced as well.
    Replace,
    /// A map keeps only the keys that the patch names.
    RetainKeys,
    /// Lists merge, and each element keeps only the keys that the patch names.
    MergeRetainKeys,
}

impl PatchStrategy {
    /// Reads `merge`, `replace`, `retainKeys`, or two of them with a comma.
    pub(super) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "merge" => Self::Merge,
            "replace" => Self::Replace,
            "retainKeys" => Self::RetainKeys,
            "merge,retainKeys" | "retainKeys,merge" => Self::MergeRetainKeys,
            _ => return None,
        })
    }

    /// Whether lists merge.
    #[must_use]
    pub(crate) const fn merges_list(self) -> bool {
        matches!(self, Self::Merge | Self::MergeRetainKeys)
    }

    /// Whether maps keep only the keys that the patch names.
    #[must_use]
    pub(crate) const fn retains_keys(self) -> bool {
        matches!(self, Self::RetainKeys | Self::MergeRetainKeys)
    }
}

/// A position as a strategic merge patch sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patch<'s> {
    /// The strategy.
    pub strategy: PatchStrategy,
    /// The single key that pairs a list's elements, whatever keys [`Cursor::list`] gives.
    pub merge_key: Option<&'s str>,
}

impl<'s> Cursor<'s> {
    /// The root of a resource.
    pub(super) fn root(schema: &'s Schema, place: Place, scope: Scope, turns: Turns) -> Self {
        Self { schema, place, coverage: Coverage::Complete, scope, rules: schema.rules.root(), turns }
    }

    /// This position, of a kind that may have fields that its type lacks.
    pub(super) const fn covered(self, coverage: Coverage) -> Self {
        Self { coverage, ..self }
    }

    /// The value of a field of the object or map here.
    #[must_use]
    pub fn field(self, name: &str) -> Self {
        let place = match self.node().map(|(_, node)| node.shape) {
            None if self.place == Place::UnknownKind => self.schema.metadata(name),
            None | Some(Shape::Free) => self.place,
            Some(Shape::Map(value)) => Place::Known(value),
            Some(Shape::Object(id)) => {
                self.schema.table(id.owner).field(id.index, name).map_or(Place::UnknownField, Place::Known)
            }
            Some(Shape::Scalar(_) | Shape::List(..)) => Place::UnknownField,
        };
        Self { place, rules: self.schema.rules.field(self.rules, name), turns: self.turns.field(name), ..self }
    }

    /// The root of a resource that stands here, as the items of a `kind: List` do.
    #[must_use]
    pub fn resource(self, group: &str, version: &str, kind: &str) -> Self {
        self.schema.resource(group, version, kind)
    }

    /// Any element of the list here.
    #[must_use]
    pub fn item(self) -> Self {
        let place = match self.node().map(|(_, node)| node.shape) {
            None | Some(Shape::Free) => self.place,
            Some(Shape::List(item, _)) => Place::Known(item),
            Some(Shape::Scalar(_) | Shape::Map(_) | Shape::Object(_)) => Place::UnknownField,
        };
        Self { place, rules: self.schema.rules.item(self.rules), ..self }
    }

    /// This position as that of a pod template, where nothing else is known of it, and what stands here looks like one on
    /// each side that has it.
    #[must_use]
    pub fn by_structure<'t>(self, sides: impl Iterator<Item = Node<'t>> + Clone) -> Self {
        if self.knowledge() == Knowledge::Known || !pod::is_template(sides) {
            return self;
        }
        let place = self.schema.pod_template().map_or(self.place, |id| Place::Known(NodeId::Type(id)));
        Self { place, ..self }
    }

    /// How a list here merges.
    #[must_use]
    pub(crate) fn list(self) -> ListRule<'s> {
        self.user_rule().unwrap_or_else(|| self.schema_rule())
    }

    /// What places mean in a list here.
    pub(crate) const fn places(self) -> Places {
        self.turns.places()
    }

    /// Whether the elements of a list here run or are tried in turn, or are what they are by their places, so that it matters
    /// which of two new ones comes first.
    #[must_use]
    pub(crate) const fn takes_turns(self) -> bool {
        matches!(self.places(), Places::Count)
    }

    fn user_rule(self) -> Option<ListRule<'s>> {
        let kind = match self.schema.rules.list(self.rules, self.scope)? {
            RuleList::Atomic => ListKind::Atomic,
            RuleList::Set => ListKind::Set,
            RuleList::Keys(names) => ListKind::Keyed(Keys::names(names)),
        };
        Some(ListRule { kind, source: RuleSource::User })
    }

    fn schema_rule(self) -> ListRule<'s> {
        let inferred = ListRule { kind: ListKind::Infer, source: RuleSource::Inferred };
        let Some((owner, SchemaNode { shape: Shape::List(_, row), .. })) = self.node() else { return inferred };
        let table = self.schema.table(owner);
        let kind = match row {
            ListRow::Undeclared => return inferred,
            ListRow::Atomic => ListKind::Atomic,
            ListRow::Set => ListKind::Set,
            ListRow::Keyed { start, len } => ListKind::Keyed(Keys::rows(table, table.key_rows(start, len))),
        };
        let source = match owner {
            Owner::Builtin => RuleSource::Builtin,
            Owner::Crds => RuleSource::Crd,
        };
        ListRule { kind, source }
    }

    /// What a strategic merge patch does here.
    #[must_use]
    pub(crate) fn patch(self) -> Patch<'s> {
        let Some((owner, node)) = self.node() else {
            return Patch { strategy: PatchStrategy::Default, merge_key: None };
        };
        let merge_key = node.merge_key.map(|text| self.schema.table(owner).text(text));
        Patch { strategy: node.patch, merge_key }
    }

    /// Whether a map or object here is one value in a server-side apply (`x-kubernetes-map-type: atomic`).
    #[must_use]
    pub fn is_atomic_map(self) -> bool {
        let Some((_, node)) = self.node() else { return false };
        match (node.map_kind, node.shape) {
            (MapKind::Atomic, Shape::Map(_) | Shape::Object(_)) => true,
            (MapKind::Inherited, Shape::Object(id)) => self.schema.table(id.owner).type_is_atomic(id.index),
            _ => false,
        }
    }

    /// How much the schema says about this position.
    #[must_use]
    pub(crate) fn knowledge(self) -> Knowledge {
        match (self.place, self.node()) {
            (Place::NoSchema | Place::UnknownKind, _) => Knowledge::NoSchema,
            (_, None) => Knowledge::UnknownField,
            (_, Some((_, SchemaNode { shape: Shape::Free, .. }))) => Knowledge::Free,
            (_, Some(_)) => Knowledge::Known,
        }
    }

    /// The name of the object's type: `core/v1.Container`.
    ///
    /// Types that a definition writes in place have none.
    #[must_use]
    pub(crate) fn type_name(self) -> Option<&'s str> {
        match self.node()? {
            (_, SchemaNode { shape: Shape::Object(id), .. }) => {
                Some(self.schema.table(id.owner).type_name(id.index)).filter(|name| !name.is_empty())
            }
            _ => None,
        }
    }

    /// What the value here has to be; `None` if the schema does not say, or has no such place.
    #[must_use]
    pub(crate) fn value_type(self) -> Option<ValueType> {
        let (_, node) = self.node()?;
        Some(match node.shape {
            Shape::Scalar(of) => of,
            Shape::Free => ValueType::Free,
            Shape::Object(_) => ValueType::Object,
            Shape::Map(_) => ValueType::Map,
            Shape::List(..) => ValueType::List,
        })
    }

    /// Whether the kind is known, and all its fields in this version.
    pub(crate) fn knows_its_fields(self) -> bool {
        self.coverage == Coverage::Complete && self.node().is_some()
    }

    /// Whether an object here has no other fields than its type.
    pub(super) fn is_complete(self) -> bool {
        let Some((_, SchemaNode { shape: Shape::Object(id), .. })) = self.node() else { return false };
        self.coverage == Coverage::Complete && !self.schema.table(id.owner).type_is_open(id.index)
    }

    /// The names of the fields that the type of the object here has, in order; none where no object is.
    pub(crate) fn field_names(self) -> impl Iterator<Item = &'s str> {
        let object = self.node().and_then(|(_, node)| match node.shape {
            Shape::Object(id) => Some((self.schema.table(id.owner), id.index)),
            _ => None,
        });
        object.into_iter().flat_map(|(table, index)| table.fields(index).iter().map(|field| table.text(field.name)))
    }

    /// What stands in the table here, and which table that is.
    fn node(self) -> Option<(Owner, SchemaNode)> {
        match self.place {
            Place::NoSchema | Place::UnknownKind | Place::UnknownField => None,
            Place::Known(NodeId::Type(id)) => Some((id.owner, SchemaNode::plain(Shape::Object(id)))),
            Place::Known(NodeId::Row(owner, index)) => Some((owner, self.schema.table(owner).node(index)?)),
        }
    }
}

impl std::fmt::Debug for Cursor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cursor").field("place", &self.place).field("type", &self.type_name()).finish_non_exhaustive()
    }
}

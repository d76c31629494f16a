//! What the merge flags mean to the library: a policy, a schema, and what becomes of conflicts.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use kmerge_core::lines::{Labels, Style};
use kmerge_core::schema::Rule;
use kmerge_core::{BothChanged, ConflictStyle, ListOrder, Nulls, Policy, Removal, Schema};

use crate::bytes::Bytes;
use crate::cli::merge::{
    self as flags, ListFlags, MarkerStyle, OnConflict, PolicyName, RuleFlags, SchemaChoice, SchemaFlags,
};
use crate::crds;
use crate::diagnostic::{Code, Diagnostic};
use crate::git;
use crate::input::Source;
use crate::plain;

/// The configuration file that is looked for.
const CONFIG: &str = "kmerge.yaml";

/// All choices of a merge.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) policy: Policy,
    pub(crate) schema: Schema,
    pub(crate) conflicts: Conflicts,
}

/// What becomes of places that nobody decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conflicts {
    /// There are none: the policy decides every place.
    Decided,
    /// They end the merge.
    Fail,
    /// Both sides stand in the result.
    Markers {
        /// What is shown.
        style: Style,
        /// Characters a marker has.
        size: usize,
    },
}

impl Conflicts {
    /// What they become in a result; the names are those of destination, base and incoming side.
    pub(crate) const fn style<'a>(self, [ours, base, theirs]: [&'a str; 3]) -> ConflictStyle<'a> {
        match self {
            Self::Decided | Self::Fail => ConflictStyle::Dest,
            Self::Markers { style, size } => {
                ConflictStyle::Markers { style, labels: Labels { size, ours, base, theirs } }
            }
        }
    }
}

impl Options {
    /// Reads the flags; `preset` is what `--policy merge` means here.
    pub(crate) fn new(flags: &RuleFlags, preset: Policy) -> anyhow::Result<Self> {
        let on_conflict = flags.on_conflict.unwrap_or(match flags.policy {
            PolicyName::Merge => OnConflict::Updated,
            PolicyName::Git => OnConflict::Markers,
        });
        Ok(Self {
            policy: policy(flags, preset, on_conflict)?,
            schema: schema(&flags.schema)?,
            conflicts: match on_conflict {
                OnConflict::Updated | OnConflict::Dest => Conflicts::Decided,
                OnConflict::Fail => Conflicts::Fail,
                OnConflict::Markers => {
                    Conflicts::Markers { style: marker_style(flags.marker_style), size: flags.marker_size.into() }
                }
            },
        })
    }
}

impl Options {
    /// The same for a merge that is only explained: what would end it is a line of the report.
    pub(crate) fn explained(flags: &RuleFlags, preset: Policy) -> anyhow::Result<Self> {
        let options = Self::new(flags, preset)?;
        let conflicts = if options.conflicts == Conflicts::Fail { Conflicts::Decided } else { options.conflicts };
        Ok(Self { conflicts, ..options })
    }
}

/// The built-in kinds and the rules of the configuration file, for commands without flags of their own.
pub(crate) fn configured_schema() -> anyhow::Result<Schema> {
    let mut schema = Schema::new();
    let rules = config_rules(None)?;
    if !rules.is_empty() {
        schema.set_rules(rules).map_err(|error| Diagnostic::error(Code::Config, error.to_string()))?;
    }
    Ok(schema)
}

fn policy(flags: &RuleFlags, preset: Policy, on_conflict: OnConflict) -> anyhow::Result<Policy> {
    let both_changed = match on_conflict {
        OnConflict::Updated => BothChanged::Take,
        OnConflict::Dest => BothChanged::Keep,
        OnConflict::Fail | OnConflict::Markers => BothChanged::Conflict,
    };
    let mut policy = match flags.policy {
        // Only where the incoming side wins can what it removed go part by part; elsewhere that would tear entries apart.
        PolicyName::Merge if on_conflict != OnConflict::Updated => Policy { removal: Removal::Whole, ..preset },
        PolicyName::Merge => preset,
        PolicyName::Git => Policy { comments: both_changed, ..Policy::GIT },
    };
    policy.both_changed = both_changed;
    let order = new_elements(flags.list_order);
    policy.order = order.context("--list-order kubectl is only for `apply` and `patch`")?;
    match flags.nulls {
        None => {}
        Some(flags::Nulls::Clear) => policy.nulls = Nulls::Clear,
        Some(flags::Nulls::Data) => policy.nulls = Nulls::Data,
    }
    Ok(policy)
}

/// Where new elements go; `None` where kubectl's rule orders all of them.
pub(crate) const fn new_elements(order: flags::ListOrder) -> Option<ListOrder> {
    match order {
        flags::ListOrder::Neighbour => Some(ListOrder::Neighbour),
        flags::ListOrder::Append => Some(ListOrder::Append),
        flags::ListOrder::Prepend => Some(ListOrder::Prepend),
        flags::ListOrder::Kubectl => None,
    }
}

/// What the flag means to the library.
pub(crate) const fn marker_style(style: MarkerStyle) -> Style {
    match style {
        MarkerStyle::Merge => Style::Merge,
        MarkerStyle::Diff3 => Style::Diff3,
        MarkerStyle::Zdiff3 => Style::Zdiff3,
    }
}

/// Where what is known about kinds comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchemaSources<'f> {
    pub(crate) choice: SchemaChoice,
    pub(crate) crds: &'f [PathBuf],
    /// The file of list rules, unless the one that is looked for.
    pub(crate) rules: Option<&'f Path>,
    pub(crate) list_keys: &'f [String],
}

/// The schema that the flags, the configuration and the definitions give.
pub(crate) fn schema(flags: &SchemaFlags) -> anyhow::Result<Schema> {
    schema_of(&flags.lists, flags.schema)
}

/// The schema of a command that chooses the kinds in another way.
pub(crate) fn schema_of(flags: &ListFlags, choice: SchemaChoice) -> anyhow::Result<Schema> {
    let ListFlags { list_key, rules, crd } = flags;
    schema_from(SchemaSources { choice, crds: crd, rules: rules.as_deref(), list_keys: list_key })
}

/// Reads what is known about kinds.
pub(crate) fn schema_from(sources: SchemaSources<'_>) -> anyhow::Result<Schema> {
    let mut schema = match sources.choice {
        SchemaChoice::Builtin => Schema::new(),
        SchemaChoice::None => Schema::without_builtin(),
    };
    for path in sources.crds {
        crds::add(&mut schema, path)?;
    }
    let mut rules = config_rules(sources.rules)?;
    for text in sources.list_keys {
        let rule = text.parse::<Rule>();
        rules.push(rule.map_err(|error| {
            Diagnostic::error(Code::Config, format!("--list-key {text}: {error}"))
                .help("such as --list-key .spec.gears[].teeth=id,side")
        })?);
    }
    if !rules.is_empty() {
        schema.set_rules(rules).map_err(|error| Diagnostic::error(Code::Config, error.to_string()))?;
    }
    Ok(schema)
}

fn config_rules(given: Option<&Path>) -> anyhow::Result<Vec<Rule>> {
    let source = match given {
        Some(path) => Some(Source::read(path)?),
        None => found_config()?,
    };
    let Some(source) = source else { return Ok(Vec::new()) };
    let rules = Rule::from_config(&source.parse()?);
    Ok(rules.map_err(|error| Diagnostic::error(Code::Config, error.to_string()).at(&source, error.span, ""))?)
}

/// The configuration that nobody named: a tree may have brought it.
fn found_config() -> anyhow::Result<Option<Source>> {
    /// Rules of a large repository take some kilobytes.
    const MOST: Bytes = Bytes(1 << 20);
    let Some(path) = find_config() else {
        let text = git::file_of_bare_repository(CONFIG)?;
        return Ok(text.map(|text| Source::new(format!("HEAD:{CONFIG}"), text)));
    };
    let unusable = |error: anyhow::Error| {
        Diagnostic::error(Code::Config, format!("{error:#}"))
            .help("make it a plain file, or name another one with --rules")
    };
    let bytes = plain::read(&path, MOST).map_err(unusable)?;
    Ok(bytes.map(|bytes| Source::decode(path.display().to_string(), bytes)).transpose()?)
}

/// The configuration file of the working directory, or of the nearest directory above; not beyond a repository.
fn find_config() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let is_there = |path: &Path| path.symlink_metadata().is_ok_and(|found| !found.is_dir());
    for (above, directory) in here.ancestors().enumerate() {
        if is_there(&directory.join(CONFIG)) {
            return Some(Path::new(&"../".repeat(above)).join(CONFIG));
        }
        if directory.join(".git").exists() || git::is_bare(directory) {
            return None;
        }
    }
    None
}

//! Transforms the resources of a layer, and removes those that are not meant for a cluster.

use std::collections::HashMap;

use super::{Options, Result, Session, identity, show};
use crate::build::error::{BuildError, BuildErrorKind, TextPlace};
use crate::build::known::is_known;
use crate::build::merge::Dialect;
use crate::build::scalar_text;
use crate::build::target::effective;
use crate::build::transform::{Affix, End, Scope, Transform, TransformError, Transformer};
use crate::resource::Resource;

/// The annotation of resources that are for tools, not for a cluster.
const LOCAL: &str = "config.kubernetes.io/local-config";

impl Session<'_, '_> {
    /// Applies a transformer of a kustomization to the resources of the open layer. `owner` is the index of the
    /// kustomization's text.
    ///
    /// # Errors
    ///
    /// If a resource cannot be changed in this way, if two resources get the same identity, or if replicas match no
    /// resource.
    pub fn transform(&mut self, transform: &Transform, owner: usize) -> Result<()> {
        let place = TextPlace { text: owner, span: transform.span };
        let mut is_used = false;
        for index in self.present() {
            let done = self.transform_one(index, &transform.kind)?;
            is_used |= done.map_err(|error| self.refused(index, &error, place))?;
        }
        match &transform.kind {
            Transformer::Replicas(replicas) if !is_used => {
                Err(BuildError::new(BuildErrorKind::NoReplicas(replicas.name.clone()), vec![place]))
            }
            Transformer::Namespace(_) => self.check_distinct(place),
            _ => Ok(()),
        }
    }

    /// Transforms one resource. Returns whether the transformer applies to it.
    fn transform_one(
        &mut self,
        index: usize,
        transformer: &Transformer,
    ) -> Result<std::result::Result<bool, TransformError>> {
        let options = self.options;
        let member = &mut self.members[index];
        let (Some(original), Some(now)) = (member.ids.first(), member.ids.last()) else { return Ok(Ok(false)) };
        let failed = |error| BuildError::new(error, vec![TextPlace { text: member.text, span: member.object.span }]);
        let Some(value) = self.documents[member.text].value_mut(&member.object).map_err(failed)? else {
            return Ok(Ok(false));
        };
        let done = match transformer {
            Transformer::Namespace(namespace) => namespace.apply(value, now, scope(now, options)),
            Transformer::Affix(_) if Affix::leaves(original) => return Ok(Ok(false)),
            Transformer::Affix(affix) => affix.apply(value),
            Transformer::Pairs(pairs) => pairs.apply(value, now),
            Transformer::Replicas(replicas) => return Ok(replicas.apply(value, &member.ids)),
            Transformer::Image(image) => image.apply(value, now),
        };
        if let Transformer::Affix(affix) = transformer {
            let [prefixes, suffixes] = &mut member.affixes;
            let affixes = if affix.end == End::Prefix { prefixes } else { suffixes };
            affixes.push(affix.text.clone());
        }
        if matches!(transformer, Transformer::Namespace(_) | Transformer::Affix(_)) {
            let now = identity(value, Some(now));
            self.identify(index, now);
        }
        Ok(done.map(|()| true))
    }

    fn refused(&self, index: usize, error: &TransformError, place: TextPlace) -> Box<BuildError> {
        let member = &self.members[index];
        let own = TextPlace { text: member.text, span: member.object.span };
        BuildError::new(BuildErrorKind::Transform(show(member.ids.last()), error.to_string()), vec![own, place])
    }

    /// Checks that no two resources of the open layer have the same identity.
    fn check_distinct(&self, place: TextPlace) -> Result<()> {
        let mut seen = HashMap::new();
        for index in self.present() {
            let Some(id) = self.members[index].ids.last().filter(|id| !id.id.name.is_empty()) else { continue };
            if let Some(first) = seen.insert(effective(id), index) {
                let places = [index, first].map(|index| &self.members[index]);
                let places = places.map(|member| TextPlace { text: member.text, span: member.object.span });
                let places = places.into_iter().chain([place]).collect();
                return Err(BuildError::new(BuildErrorKind::Duplicate(show(Some(id))), places));
            }
        }
        Ok(())
    }

    /// Removes the resources that are only for tools.
    ///
    /// # Errors
    ///
    /// If a resource cannot be read.
    pub fn leave_out_local(&mut self) -> Result<()> {
        for index in self.present() {
            let member = &mut self.members[index];
            let documents = &mut self.documents[member.text];
            let failed =
                |error| BuildError::new(error, vec![TextPlace { text: member.text, span: member.object.span }]);
            let value = documents.value_mut(&member.object).map_err(failed)?;
            let is_local = value.and_then(|value| value.at(&["metadata", "annotations", LOCAL])).map(scalar_text);
            if is_local.flatten().is_some_and(|mark| mark != "false") {
                documents.remove(&member.object).map_err(failed)?;
                member.is_gone = true;
            }
        }
        Ok(())
    }
}

/// Whether a kind can be in a namespace. An unknown kind can.
pub(super) fn scope(resource: &Resource, options: Options<'_>) -> Scope {
    let group = resource.id.group.as_str();
    let is_builtin = || match options.dialect {
        Dialect::Kustomize => is_known(resource),
        Dialect::Kmerge => group.is_empty() || group.ends_with(".k8s.io"),
    };
    let is_cluster_scoped = match options.schema.is_cluster_scoped(group, &resource.id.kind) {
        Some(is_cluster_scoped) => is_cluster_scoped,
        None => is_builtin() && resource.id.is_cluster_scoped(),
    };
    if is_cluster_scoped { Scope::Cluster } else { Scope::Namespaced }
}

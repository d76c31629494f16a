//! kmerge's answers, in the terms of kubectl's.

use kmerge_core::Schema;
use kmerge_core::apply::object::{self, Algorithm, Request};
use kmerge_core::apply::patch::{PatchKind, PatchOptions, patch};
use kmerge_core::apply::strategic::{ListKeys, ListOrder, Overwrite};
use kmerge_core::value::{self, Map, from_json, to_json};
use serde_json::Value;

use crate::kubectl::{Applied, Case, PatchType};

/// kmerge in its compatible mode.
pub(super) struct Ours {
    schema: Schema,
}

impl Ours {
    pub(super) fn new() -> Self {
        Self { schema: Schema::new() }
    }

    pub(super) fn apply(&self, case: &Case) -> Applied {
        let Some(config) = kubectls_config(&case.config) else { return Applied::Refused(String::new()) };
        let Some(live) = &case.live else {
            return Applied::Created(plain(&object::create(&config)));
        };
        let live = own(live);
        let (Some(live), Some(config)) = (live.as_map(), config.as_map()) else {
            return Applied::Refused(String::new());
        };
        let request = self.request(live, config, case.overwrite);
        match object::plan(&request) {
            Ok(planned) if !planned.conflicts.is_empty() => Applied::Refused(String::new()),
            Ok(planned) if planned.patch.is_empty() => Applied::Unchanged,
            Ok(planned) => {
                let kind = match request.algorithm {
                    Algorithm::Strategic(_) => PatchType::Strategic,
                    Algorithm::JsonMerge => PatchType::Merge,
                };
                Applied::Configured(kind.sent(), plain(&value::Value::map(planned.patch)))
            }
            Err(_) => Applied::Refused(String::new()),
        }
    }

    /// What is left of the live object after a case that both send.
    pub(super) fn result(&self, case: &Case) -> Option<Value> {
        let (live, config) = (own(case.live.as_ref()?), kubectls_config(&case.config)?);
        let request = self.request(live.as_map()?, config.as_map()?, case.overwrite);
        let applied = object::apply(&request).ok()?;
        Some(plain(&value::Value::map(applied.result)))
    }

    fn request<'v>(&'v self, live: &'v Map, config: &'v Map, overwrite: bool) -> Request<'v> {
        let algorithm = Algorithm::of(&self.schema, config, ListKeys::Smp);
        let overwrite = if overwrite { Overwrite::Yes } else { Overwrite::No };
        Request { live, config, last_applied: None, algorithm, overwrite, list_order: ListOrder::Kubectl }
    }

    pub(super) fn patch(&self, object: &Value, patch_value: &Value, kind: PatchType) -> Option<Value> {
        let options = PatchOptions { schema: &self.schema, keys: ListKeys::Smp, order: ListOrder::Kubectl };
        let kind = match kind {
            PatchType::Strategic => PatchKind::Strategic,
            PatchType::Merge => PatchKind::Merge,
            PatchType::Json => PatchKind::Json,
        };
        let mut object = own(object);
        patch(&mut object, &own(patch_value), kind, options).ok()?;
        Some(plain(&object))
    }
}

/// The configuration with the namespace that kubectl gives it.
fn kubectls_config(config: &Value) -> Option<value::Value> {
    let mut config = config.clone();
    config.get_mut("metadata")?.as_object_mut()?.insert("namespace".to_owned(), "default".into());
    Some(own(&config))
}

fn own(json: &Value) -> value::Value {
    from_json(&json.to_string()).unwrap_or_else(|_| value::Value::null())
}

fn plain(value: &value::Value) -> Value {
    serde_json::from_str(&to_json(value)).unwrap_or(Value::Null)
}

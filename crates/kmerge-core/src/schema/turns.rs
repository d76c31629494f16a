//! Lists whose elements take turns: they run one after the other, or the first that matches wins, or the place says what each is.
//!
//! In such a list it matters which of two new elements at one place comes first. A list is known by its name. Where a name says
//! little, the field around it or the kind of the resource counts, too. Ignores lists whose order nobody reads (containers, ports),
//! the paths of an ingress (the longest wins), and rules of which each is a statement of its own.

/// What the places of a list's elements mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Places {
    /// The elements take turns.
    Count,
    /// Nobody knows: a list that is a whole file is mostly a script, of plays or tasks.
    MayCount,
    /// Nothing, as far as anybody says.
    Free,
}

/// What a position is called, as far as it says something about turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Turns {
    kind: Word,
    around: Word,
    name: Word,
}

/// A name that means something here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Word {
    #[default]
    Other,
    /// No name: the value of a whole document.
    Root,
    /// The elements of such a list take turns, wherever it stands.
    Always,
    Args,
    Build,
    Http,
    Spec,
    Route,
    Routes,
    Rules,
    Pipeline,
    Functions,
    /// A kind of which `spec.http`, `spec.tcp` and `spec.tls` are routes.
    VirtualService,
    /// A kind of which `spec.rules` run in turn, or are tried in turn.
    WithRules,
    /// No kind: a file that is no resource.
    NoKind,
    /// The order of the `rules` in it means nothing.
    Statements,
}

impl Turns {
    /// The root of a resource.
    pub(super) fn of_kind(kind: &str) -> Self {
        let kind = match kind {
            "VirtualService" => Word::VirtualService,
            "" => Word::NoKind,
            "HTTPRoute" | "GRPCRoute" | "TCPRoute" | "TLSRoute" | "ClusterPolicy" | "Policy" => Word::WithRules,
            _ => Word::Other,
        };
        Self { kind, name: Word::Root, ..Self::default() }
    }

    pub(super) fn field(self, name: &str) -> Self {
        Self { around: self.name, name: Word::of(name), ..self }
    }

    /// What places mean in a list here.
    pub(super) const fn places(self) -> Places {
        match (self.kind, self.around, self.name) {
            // Compose: variables of a build, `NAME=value`.
            (Word::NoKind, Word::Build, Word::Args) => Places::Free,
            (_, _, Word::Always | Word::Args)
            | (Word::VirtualService, Word::Spec, Word::Http)
            | (Word::WithRules, Word::Spec, Word::Rules)
            // GitLab: the first rule of a job that matches wins.
            | (Word::NoKind, Word::Other, Word::Rules)
            | (_, Word::Route | Word::Routes, Word::Routes)
            | (_, Word::Pipeline, Word::Functions) => Places::Count,
            (_, _, Word::Root) => Places::MayCount,
            _ => Places::Free,
        }
    }
}

impl Word {
    fn of(name: &str) -> Self {
        match name {
            // Pods: init containers start one after the other, servers are asked in turn.
            "initContainers" | "nameservers" | "searches" => Self::Always,
            // What a place means: commands and their arguments.
            "command" | "entrypoint" | "cmd" => Self::Always,
            "args" => Self::Args,
            "build" => Self::Build,
            // kustomize: each patch sees what those before it made.
            "patches" | "patchesJson6902" | "replacements" => Self::Always,
            // Workflows and scripts.
            "steps" | "stages" | "pipeline_stages" | "script" | "before_script" | "after_script" | "commands" => {
                Self::Always
            }
            // Ansible.
            "tasks" | "pre_tasks" | "post_tasks" | "block" | "rescue" | "always" => Self::Always,
            // Prometheus.
            "relabel_configs" | "metric_relabel_configs" | "write_relabel_configs" | "alert_relabel_configs" => {
                Self::Always
            }
            "relabelings" | "metricRelabelings" | "relabelConfigs" | "metricRelabelConfigs" | "writeRelabelConfigs" => {
                Self::Always
            }
            // Proxies and collectors.
            "middlewares" | "http_filters" | "httpFilters" | "processors" => Self::Always,
            "http" | "tcp" | "tls" => Self::Http,
            "spec" => Self::Spec,
            "route" => Self::Route,
            "routes" => Self::Routes,
            "rules" => Self::Rules,
            "pipeline" => Self::Pipeline,
            "mutators" | "validators" => Self::Functions,
            // Prometheus, and the values of charts.
            "groups" | "rbac" | "role" | "clusterRole" | "ingress" | "prometheusRule" => Self::Statements,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_taken(kind: &str, path: &str) -> bool {
        path.split('.').fold(Turns::of_kind(kind), Turns::field).places() == Places::Count
    }

    #[test]
    fn lists_are_known_by_name_place_and_kind() {
        assert!(are_taken("Pod", "spec.initContainers"));
        assert!(!are_taken("Pod", "spec.containers"));
        assert!(are_taken("", "jobs.build.steps"));
        assert!(are_taken("Pod", "spec.containers.args"));
        assert!(!are_taken("", "services.web.build.args"));
        assert!(are_taken("VirtualService", "spec.http"));
        assert!(!are_taken("Gateway", "spec.http"));
        assert!(are_taken("HTTPRoute", "spec.rules"));
        assert!(!are_taken("Ingress", "spec.rules"));
        assert!(!are_taken("Role", "rules"));
        assert!(are_taken("", "deploy.rules"));
        assert!(are_taken("", "workflow.rules"));
        assert!(!are_taken("", "groups.rules"));
        assert!(!are_taken("", "rbac.rules"));
        assert!(are_taken("", "route.routes"));
        assert!(are_taken("", "route.routes.routes"));
        assert!(!are_taken("", "spec.routes"));
        assert!(are_taken("Kptfile", "pipeline.mutators"));
    }
}

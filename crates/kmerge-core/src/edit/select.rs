//! Selects the resources for statements.
//!
//! `Deployment/web`, `deploy/web`, `kind=Deployment,name=web`, `#2`, and conditions: `-l app=web,tier!=db` on labels, `-n prod`
//! on the namespace, `--where '.spec.replicas=0'` on any place.
//!
//! Owns the conditions and how they are written. Ignores what the statements do with the resources.

use kyaml_ast::{Changes, Condition, Fit, Node, PathError, PathErrorKind, Pattern, Segment, Step, Test};

use super::script::{ScriptError, ScriptErrorKind};
use super::words::{Word, Words};
use crate::resource::ResourceId;

/// Conditions on a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    /// `#N`: its position among the documents with content, from 1.
    number: Option<usize>,
    kind: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
    places: Vec<Where>,
}

/// A condition on a place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Where {
    path: Pattern,
    /// `None`: the place must exist.
    test: Option<Test>,
    /// Whether the condition is negated.
    is_not: bool,
}

impl Selector {
    /// Reads a selector.
    ///
    /// # Errors
    ///
    /// A [`ScriptError`] for the first part that is not valid.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        Self::words(Words::new(text))
    }

    /// Reads the words of a statement.
    pub(super) fn words(mut words: Words<'_>) -> Result<Self, ScriptError> {
        let mut selector = Self::default();
        let start = words.at();
        while let Some(word) = words.next() {
            match word.text {
                "-l" | "--selector" => selector.labels(value(&mut words, ScriptErrorKind::Labels)?)?,
                "-n" | "--namespace" => {
                    selector.namespace = Some(value(&mut words, ScriptErrorKind::Selector)?.unquoted())
                }
                "--where" => selector.place(value(&mut words, ScriptErrorKind::Condition)?)?,
                text if text.starts_with('#') && !text[1..].bytes().all(|byte| byte.is_ascii_digit()) => break,
                _ => selector.name(word)?,
            }
        }
        if selector == Self::default() {
            Err(ScriptError::new(start, ScriptErrorKind::EmptySelector))
        } else {
            Ok(selector)
        }
    }

    /// Adds a condition on labels.
    ///
    /// # Errors
    ///
    /// If the text is not valid.
    pub fn and_labels(&mut self, text: &str) -> Result<(), ScriptError> {
        self.labels(Word { text, at: 0 })
    }

    /// Adds a condition on the namespace.
    pub fn and_namespace(&mut self, namespace: &str) {
        self.namespace = Some(namespace.to_owned());
    }

    /// Adds a condition on a place.
    ///
    /// # Errors
    ///
    /// If the text is not valid.
    pub fn and_where(&mut self, text: &str) -> Result<(), ScriptError> {
        self.place(Word { text, at: 0 })
    }

    fn name(&mut self, word: Word<'_>) -> Result<(), ScriptError> {
        let wrong = ScriptError::new(word.at, ScriptErrorKind::Selector);
        let text = word.unquoted();
        if let Some(number) = text.strip_prefix('#') {
            self.number = Some(number.parse().map_err(|_| wrong)?);
            return Ok(());
        }
        if text.contains('=') {
            return text.split(',').try_for_each(|part| self.field(part)).map_err(|()| wrong);
        }
        let kind = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        match *text.split('/').collect::<Vec<_>>() {
            [only] if !only.is_empty() => self.kind = kind(only),
            [first, name] if !name.is_empty() => (self.kind, self.name) = (kind(first), Some(name.to_owned())),
            [first, namespace, name] => {
                (self.kind, self.namespace, self.name) =
                    (kind(first), Some(namespace.to_owned()), Some(name.to_owned()));
            }
            _ => return Err(wrong),
        }
        Ok(())
    }

    fn field(&mut self, part: &str) -> Result<(), ()> {
        let (name, value) = part.split_once('=').ok_or(())?;
        let slot = match name {
            "kind" => &mut self.kind,
            "namespace" => &mut self.namespace,
            "name" => &mut self.name,
            _ => return Err(()),
        };
        *slot = Some(value.to_owned());
        Ok(())
    }

    fn labels(&mut self, word: Word<'_>) -> Result<(), ScriptError> {
        for part in word.unquoted().split(',') {
            let (is_not, part) = negated(part.trim());
            let (name, test) = split(part).map_err(|_| ScriptError::new(word.at, ScriptErrorKind::Labels))?;
            let is_of_label = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
            if name.is_empty() || !name.bytes().all(is_of_label) || matches!(test, Some(Test::Fits(_))) {
                return Err(ScriptError::new(word.at, ScriptErrorKind::Labels));
            }
            let steps = ["metadata", "labels", name].map(|name| Step::One(Segment::Field(name.to_owned())));
            let path = steps.into_iter().fold(Pattern::default(), Pattern::with);
            self.places.push(Where { path, test, is_not });
        }
        Ok(())
    }

    fn place(&mut self, word: Word<'_>) -> Result<(), ScriptError> {
        let text = word.unquoted();
        let (is_not, body) = negated(&text);
        let (path, test) = split(body).map_err(|kind| ScriptError::new(word.at, kind))?;
        let before = usize::from(word.text.starts_with(['"', '\''])) + usize::from(is_not);
        let wrong = |error: PathError| ScriptError::new(word.at + before + error.at, ScriptErrorKind::Path(error.kind));
        self.places.push(Where { path: path.parse().map_err(wrong)?, test, is_not });
        Ok(())
    }

    /// Whether the selector looks at more of a resource than its identity.
    pub(super) const fn has_conditions(&self) -> bool {
        !self.places.is_empty()
    }

    /// Whether its conditions may look at something that `changes` change.
    pub(super) fn may_see(&self, changes: &Changes<'_>, root: Node<'_>) -> bool {
        let holds = |path: &Pattern| !path.is_plural() && path.follow(root).iter().all(|end| changes.holds(end));
        !self.places.iter().all(|place| holds(&place.path))
    }

    /// Whether a resource matches: by its position among the documents (if it is a document), its identity and its
    /// root.
    #[must_use]
    pub fn fits(&self, number: Option<usize>, id: Option<&ResourceId>, root: Option<Node<'_>>) -> bool {
        let is = |wanted: &Option<String>, found: fn(&ResourceId) -> &str| {
            wanted.as_deref().is_none_or(|wanted| id.is_some_and(|id| found(id) == wanted))
        };
        let is_number = self.number.is_none_or(|wanted| number.is_some_and(|number| number + 1 == wanted));
        let is_kind = || self.kind.as_deref().is_none_or(|wanted| id.is_some_and(|id| is_kind(wanted, &id.kind)));
        // Most resources have another name, and that is soon seen.
        is_number
            && is(&self.name, |id| &id.name)
            && is(&self.namespace, |id| &id.namespace)
            && is_kind()
            && self.places.iter().all(|place| root.is_some_and(|root| place.holds(root)))
    }
}

/// The value after a flag.
fn value<'a>(words: &mut Words<'a>, kind: ScriptErrorKind) -> Result<Word<'a>, ScriptError> {
    let at = words.at();
    words.next().ok_or(ScriptError::new(at, kind))
}

/// Whether a condition has a `!` before it, and the rest of the text.
fn negated(text: &str) -> (bool, &str) {
    text.strip_prefix('!').map_or((false, text), |rest| (true, rest))
}

/// The text before an operator, and the test. Without an operator, the place must only exist.
fn split(text: &str) -> Result<(&str, Option<Test>), ScriptErrorKind> {
    let Some(at) = operator(text) else {
        let is_path = first_outside(text.trim(), |rest| rest.starts_with([' ', '\t', '<', '>', '(', ')'])).is_none();
        return if is_path { Ok((text.trim(), None)) } else { Err(ScriptErrorKind::Condition) };
    };
    let (name, rest) = text.split_at(at);
    let behind =
        |operator: &str| rest.strip_prefix(operator).map(|value| Word { text: value.trim(), at: 0 }.unquoted());
    let test = if let Some(text) = behind("=~") {
        Test::Fits(Fit::new(&text).map_err(|_| ScriptErrorKind::Path(PathErrorKind::Regex))?)
    } else if let Some(text) = behind("!=") {
        Test::IsNot(text)
    } else {
        Test::Is(behind("==").or_else(|| behind("=")).ok_or(ScriptErrorKind::Condition)?)
    };
    Ok((name.trim(), Some(test)))
}

/// The start of a condition's operator.
fn operator(text: &str) -> Option<usize> {
    first_outside(text, |rest| rest.starts_with('=') || rest.starts_with("!="))
}

/// The first place outside of brackets and quotes at which the rest of a text is such.
fn first_outside(text: &str, is_it: impl Fn(&str) -> bool) -> Option<usize> {
    let (mut quote, mut depth) = (None, 0_usize);
    text.char_indices()
        .find(|&(at, char)| {
            match (quote, char) {
                (Some(open), char) if open == char => quote = None,
                (None, '"' | '\'') => quote = Some(char),
                (None, '[') => depth += 1,
                (None, ']') => depth = depth.saturating_sub(1),
                _ => {}
            }
            quote.is_none() && depth == 0 && is_it(&text[at..])
        })
        .map(|(at, _)| at)
}

impl Where {
    fn holds(&self, root: Node<'_>) -> bool {
        let fits = |node: Node<'_>| match &self.test {
            None => true,
            Some(test) => Condition { field: None, test: test.clone() }.is_met(node),
        };
        let ends = self.path.follow(root);
        let is_absent_one = matches!(self.test, Some(Test::IsNot(_))) && ends.iter().all(|end| end.rest.is_some());
        let found = is_absent_one || ends.iter().any(|end| end.rest.is_none() && fits(end.found.node));
        found != self.is_not
    }
}

/// Whether a kind has this name: the kind itself, its plural, or kubectl's short name. Case does not count.
fn is_kind(wanted: &str, kind: &str) -> bool {
    const SHORT: [(&str, &str); 27] = [
        ("cm", "ConfigMap"),
        ("cj", "CronJob"),
        ("crd", "CustomResourceDefinition"),
        ("csr", "CertificateSigningRequest"),
        ("deploy", "Deployment"),
        ("ds", "DaemonSet"),
        ("ep", "Endpoints"),
        ("ev", "Event"),
        ("hpa", "HorizontalPodAutoscaler"),
        ("ing", "Ingress"),
        ("limits", "LimitRange"),
        ("netpol", "NetworkPolicy"),
        ("no", "Node"),
        ("ns", "Namespace"),
        ("pc", "PriorityClass"),
        ("pdb", "PodDisruptionBudget"),
        ("po", "Pod"),
        ("pv", "PersistentVolume"),
        ("pvc", "PersistentVolumeClaim"),
        ("quota", "ResourceQuota"),
        ("rc", "ReplicationController"),
        ("rs", "ReplicaSet"),
        ("sa", "ServiceAccount"),
        ("sc", "StorageClass"),
        ("sts", "StatefulSet"),
        ("svc", "Service"),
        ("kust", "Kustomization"),
    ];
    let is_short = |(short, long): &(&str, &str)| wanted.eq_ignore_ascii_case(short) && *long == kind;
    let plural = || match kind {
        kind if kind.ends_with('y') => format!("{}ies", &kind[..kind.len() - 1]),
        kind if kind.ends_with('s') || kind.ends_with("ch") => format!("{kind}es"),
        kind => format!("{kind}s"),
    };
    wanted.is_empty()
        || wanted.eq_ignore_ascii_case(kind)
        || SHORT.iter().any(is_short)
        || wanted.eq_ignore_ascii_case(&plural())
}

#[cfg(test)]
mod tests {
    use kyaml_ast::{Document, Stream};

    use super::*;
    use crate::resource::Resource;

    const TEXT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: shop\n  labels: {app: web, tier: front}\nspec:\n  replicas: 0\n";

    fn fits(selector: &str) -> bool {
        let stream = Stream::parse(TEXT).unwrap();
        let root = stream.documents().next().and_then(Document::root).unwrap();
        let resource = Resource::of_node(root);
        Selector::parse(selector).unwrap().fits(Some(1), resource.as_ref().map(|it| &it.id), Some(root))
    }

    #[test]
    fn resources_are_known_by_names_labels_and_places() {
        for yes in [
            "Deployment",
            "deployment/web",
            "deploy/web",
            "deployments",
            "/web",
            "Deployment/shop/web",
            "#2",
            "kind=Deployment",
            "kind=deploy,name=web",
            "-l app=web",
            "-l app=web,tier!=db",
            "-l app,!canary",
            "-l tier==front",
            "-n shop",
            "deploy -n shop -l app=web",
            "--where .spec.replicas=0",
            "--where '.spec.replicas != 1'",
            "--where .spec.replicas==0",
            "--where .metadata.name=~^w",
            "--where !.spec.paused",
            "--where .spec",
            "--where .spec.paused!=true",
            "--where ..app=web",
        ] {
            assert!(fits(yes), "{yes}");
        }
        for no in [
            "Service",
            "deploy/api",
            "#1",
            "-l app!=web",
            "-l canary",
            "-l !app",
            "-n prod",
            "kind=Service",
            "Deployment/prod/web",
            "--where .spec.replicas=1",
            "--where .spec.paused",
            "--where .metadata.name=~^x",
            "deploy -n prod",
        ] {
            assert!(!fits(no), "{no}");
        }
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        for (text, at, kind) in [
            ("", 0, ScriptErrorKind::EmptySelector),
            ("a/b/c/d", 0, ScriptErrorKind::Selector),
            ("deploy -l", 9, ScriptErrorKind::Labels),
            ("-l =x", 3, ScriptErrorKind::Labels),
            ("-l '!env in (prod)'", 3, ScriptErrorKind::Labels),
            ("--where '!.spec.replicas>0'", 8, ScriptErrorKind::Condition),
            ("--where '.spec.replicas in 2'", 8, ScriptErrorKind::Condition),
            ("kinds=x", 0, ScriptErrorKind::Selector),
            ("--where .a[=1", 13, ScriptErrorKind::Path(PathErrorKind::Unclosed)),
            ("--where '!.a[x]=1'", 13, ScriptErrorKind::Path(PathErrorKind::Bracket)),
        ] {
            let error = Selector::parse(text).unwrap_err();
            assert_eq!((error.at, error.kind), (at, kind), "{text}");
        }
    }
}

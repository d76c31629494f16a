//! What random objects look like: for each kind the fields that matter to patches, with few values each.

use serde_json::{Value, json};

/// What a value looks like.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// One of these.
    Scalar(Vec<Value>),
    /// Any keys, with these values.
    Map(Vec<Value>),
    Object(Vec<(&'static str, Shape)>),
    /// Mappings with a key that takes these values.
    Keyed(&'static str, Vec<Value>, Box<Shape>),
    /// Scalars, each once.
    Set(Vec<Value>),
    /// Anything, in order.
    List(Box<Shape>),
}

fn items(values: Value) -> Vec<Value> {
    match values {
        Value::Array(items) => items,
        one => vec![one],
    }
}

fn scalar(values: Value) -> Shape {
    Shape::Scalar(items(values))
}

fn map() -> Shape {
    Shape::Map(vec![json!("1"), json!("2"), json!("")])
}

fn keyed(key: &'static str, keys: Value, item: Shape) -> Shape {
    Shape::Keyed(key, items(keys), Box::new(item))
}

fn set(values: Value) -> Shape {
    Shape::Set(items(values))
}

fn list(item: Shape) -> Shape {
    Shape::List(Box::new(item))
}

/// The fields of objects of a kind, without `apiVersion`, `kind` and the name.
pub(crate) fn shape_of(kind: &str) -> Shape {
    let spec = |fields| Shape::Object(vec![("metadata", metadata()), ("spec", Shape::Object(fields))]);
    match kind {
        "Pod" => Shape::Object(vec![("metadata", metadata()), ("spec", pod())]),
        "Deployment" => spec(workload("strategy", ["RollingUpdate", "Recreate"])),
        "DaemonSet" | "StatefulSet" => spec(workload("updateStrategy", ["RollingUpdate", "OnDelete"])),
        "Service" => spec(service()),
        "ServiceAccount" => Shape::Object(vec![
            ("metadata", metadata()),
            (
                "secrets",
                keyed("name", json!(["a", "b", "c"]), Shape::Object(vec![("fieldPath", scalar(json!(["x", "y"])))])),
            ),
            ("imagePullSecrets", keyed("name", json!(["p", "q"]), Shape::Object(vec![]))),
        ]),
        "PodDisruptionBudget" => spec(vec![("selector", selector()), ("minAvailable", scalar(json!([1, "50%"])))]),
        "CronJob" => spec(vec![
            ("schedule", scalar(json!(["* * * * *", "@daily"]))),
            (
                "jobTemplate",
                Shape::Object(vec![("metadata", metadata()), ("spec", Shape::Object(vec![("template", template())]))]),
            ),
        ]),
        "HorizontalPodAutoscaler" => spec(vec![
            ("maxReplicas", scalar(json!([3, 5]))),
            ("metrics", list(Shape::Object(vec![("type", scalar(json!(["Resource", "Pods"]))), ("resource", map())]))),
        ]),
        "Ingress" => spec(vec![
            ("rules", list(Shape::Object(vec![("host", scalar(json!(["a", "b"])))]))),
            ("tls", list(Shape::Object(vec![("hosts", set(json!(["a", "b"])))]))),
        ]),
        "NetworkPolicy" => spec(vec![("podSelector", selector()), ("policyTypes", set(json!(["Ingress", "Egress"])))]),
        "Role" => Shape::Object(vec![
            ("metadata", metadata()),
            (
                "rules",
                list(Shape::Object(vec![
                    ("verbs", set(json!(["get", "list"]))),
                    ("resources", set(json!(["pods", "secrets"]))),
                ])),
            ),
        ]),
        "Widget" => spec(vec![
            ("gears", list(widget(2))),
            ("shaft", widget(2)),
            ("names", set(json!(["a", 1, true, null, 1.5]))),
        ]),
        _ => Shape::Object(vec![("metadata", metadata()), ("data", map())]),
    }
}

fn metadata() -> Shape {
    Shape::Object(vec![
        ("labels", map()),
        ("annotations", map()),
        ("finalizers", set(json!(["f/1", "f/2", "f/3", "f/4"]))),
        (
            "ownerReferences",
            keyed("uid", json!(["u1", "u2", "u3"]), Shape::Object(vec![("name", scalar(json!(["m", "n"])))])),
        ),
    ])
}

fn selector() -> Shape {
    let expression = vec![("key", scalar(json!(["a", "b"]))), ("values", set(json!(["1", "2"])))];
    Shape::Object(vec![("matchLabels", map()), ("matchExpressions", list(Shape::Object(expression)))])
}

fn workload(strategy: &'static str, types: [&str; 2]) -> Vec<(&'static str, Shape)> {
    let rolling = Shape::Object(vec![("maxUnavailable", scalar(json!([1, "25%"])))]);
    vec![
        ("replicas", scalar(json!([1, 2, 3]))),
        ("minReadySeconds", scalar(json!([3, 5]))),
        ("selector", selector()),
        (strategy, Shape::Object(vec![("type", scalar(json!(types))), ("rollingUpdate", rolling)])),
        ("template", template()),
        ("bogus", scalar(json!([1, "text"]))),
    ]
}

fn template() -> Shape {
    Shape::Object(vec![("metadata", Shape::Object(vec![("labels", map())])), ("spec", pod())])
}

fn pod() -> Shape {
    let affinity = Shape::Object(vec![("nodeAffinity", Shape::Object(vec![("x", scalar(json!([1, 2])))]))]);
    let spread =
        Shape::Object(vec![("maxSkew", scalar(json!([1, 2]))), ("whenUnsatisfiable", scalar(json!(["X", "Y"])))]);
    let names = json!(["db", "web", "aux", "log", "tmp"]);
    Shape::Object(vec![
        ("containers", keyed("name", names, container())),
        ("initContainers", keyed("name", json!(["i1", "i2"]), container())),
        ("volumes", keyed("name", json!(["v", "w", "z"]), volume())),
        ("imagePullSecrets", keyed("name", json!(["p", "q", "r"]), Shape::Object(vec![]))),
        (
            "hostAliases",
            keyed("ip", json!(["1.1.1.1", "2.2.2.2"]), Shape::Object(vec![("hostnames", set(json!(["a", "b"])))])),
        ),
        ("topologySpreadConstraints", keyed("topologyKey", json!(["h", "z"]), spread)),
        ("tolerations", list(Shape::Object(vec![("key", scalar(json!(["a", "b"])))]))),
        ("nodeSelector", map()),
        ("affinity", affinity),
        (
            "securityContext",
            Shape::Object(vec![("fsGroup", scalar(json!([1, 2]))), ("supplementalGroups", set(json!([1, 2, 3])))]),
        ),
        ("hostNetwork", scalar(json!([true, false]))),
        ("terminationGracePeriodSeconds", scalar(json!([5, 30]))),
    ])
}

fn container() -> Shape {
    let source = Shape::Object(vec![("fieldRef", Shape::Object(vec![("fieldPath", scalar(json!(["x", "y"])))]))]);
    let env = Shape::Object(vec![("value", scalar(json!(["1", "2", ""]))), ("valueFrom", source)]);
    let port = Shape::Object(vec![("protocol", scalar(json!(["TCP", "UDP"]))), ("name", scalar(json!(["p", "q"])))]);
    let mount = Shape::Object(vec![("name", scalar(json!(["v", "w"]))), ("readOnly", scalar(json!([true])))]);
    let resources = Shape::Object(vec![("limits", map()), ("requests", map())]);
    Shape::Object(vec![
        ("image", scalar(json!(["i:1", "i:2"]))),
        ("args", set(json!(["a", "b", "c"]))),
        ("env", keyed("name", json!(["A", "B", "C", "D"]), env)),
        ("ports", keyed("containerPort", json!([80, 81, 443, 8]), port)),
        ("volumeMounts", keyed("mountPath", json!(["/a", "/b"]), mount)),
        ("resources", resources),
    ])
}

fn volume() -> Shape {
    let item = Shape::Object(vec![("key", scalar(json!(["k"]))), ("path", scalar(json!(["p", "q"])))]);
    Shape::Object(vec![
        ("emptyDir", Shape::Object(vec![("medium", scalar(json!(["Memory"])))])),
        ("hostPath", Shape::Object(vec![("path", scalar(json!(["/x", "/y"])))])),
        ("configMap", Shape::Object(vec![("name", scalar(json!(["c"]))), ("items", list(item))])),
    ])
}

fn service() -> Vec<(&'static str, Shape)> {
    let port = vec![
        ("protocol", scalar(json!(["TCP", "UDP"]))),
        ("targetPort", scalar(json!([1, "http"]))),
        ("name", scalar(json!(["p"]))),
    ];
    vec![
        ("ports", keyed("port", json!([80, 81, 8080, 9]), Shape::Object(port))),
        ("selector", map()),
        ("type", scalar(json!(["ClusterIP", "NodePort"]))),
        ("externalIPs", set(json!(["1.1.1.1", "2.2.2.2"]))),
    ]
}

fn widget(depth: usize) -> Shape {
    let leaf = scalar(json!([1, 1.5, "text", true, null]));
    let below = if depth == 0 { leaf.clone() } else { widget(depth - 1) };
    Shape::Object(vec![
        ("id", scalar(json!([1, 2, 3]))),
        ("leaf", leaf),
        ("below", below.clone()),
        ("list", list(below)),
    ])
}

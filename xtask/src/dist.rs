//! `cargo xtask dist [--target TRIPLE]`: an archive for a release, and everything that lies in it. With `--notices`, only the
//! licences of all parts, which wheels take from `target/packages/assets`.
//!
//! Two runs on one commit with the same compiler write the same bytes: the build knows no path of this machine, times are those
//! of the commit, and names are sorted.

mod archive;
mod notices;
mod parts;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail, ensure};
use sha2::{Digest as _, Sha256};

use archive::Member;

const USAGE: &str = "usage: cargo xtask dist [--notices | --target TRIPLE]";

/// The licences of all parts.
const NOTICES: &str = "THIRD-PARTY.txt";

/// Writes `target/packages/kmerge-VERSION-TARGET.tar.gz`, its SHA-256 sum, its list of parts, and for other packages its members to
/// `target/packages/assets`.
pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let host = host()?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the workspace is above xtask")?;
    let out = root.join("target/packages");
    let (target, is_host) = match arguments {
        [] => (host.as_str(), true),
        ["--target", target] => (*target, *target == host),
        ["--notices"] => {
            let notices = Member::text(NOTICES, notices::of(&parts::of(root, &host)?)?);
            return Ok(notices.write_below(&out.join("assets"))?);
        }
        _ => bail!(USAGE),
    };
    let binary = build(root, target)?;
    // Another platform's binary does not run here: its completions and manual pages are those of this one.
    let here = if is_host { binary.clone() } else { build(root, &host)? };
    let program = std::fs::read(&binary)?;
    ensure!(!has_symbols(&program), "{} is not stripped", binary.display());
    std::fs::create_dir_all(&out)?;
    let name = format!("kmerge-{}-{target}", env!("CARGO_PKG_VERSION"));
    let parts = parts::of(root, target)?;
    let bill = format!("{:#}\n", parts::bill(&parts));
    let mut members = vec![
        Member::program(binary.file_name().context("a binary has a name")?, program),
        Member::text("kmerge.cdx.json", bill.clone()),
        Member::text(NOTICES, notices::of(&parts)?),
    ];
    for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md"] {
        members.push(Member::text(file, std::fs::read_to_string(root.join(file))?));
    }
    for (shell, file) in [("bash", "kmerge.bash"), ("zsh", "_kmerge"), ("fish", "kmerge.fish")] {
        members.push(Member::text(&format!("completions/{file}"), said(&here, &["completions", shell])?));
    }
    members.extend(manual(&here)?);
    for member in &members {
        member.write_below(&out.join("assets"))?;
    }
    let time = commit_time(root)?;
    let packed = archive::pack(&name, members, time)?;
    let file = format!("{name}.tar.gz");
    let sum: String = Sha256::digest(&packed).iter().map(|byte| format!("{byte:02x}")).collect();
    std::fs::write(out.join(&file), packed)?;
    std::fs::write(out.join(format!("{file}.sha256")), format!("{sum}  {file}\n"))?;
    std::fs::write(out.join(format!("{name}.cdx.json")), bill)?;
    Ok(())
}

fn host() -> anyhow::Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot run rustc")?;
    let text = String::from_utf8(output.stdout)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    Ok(host.to_owned())
}

/// Builds the binary so that it holds no path of this machine.
fn build(root: &Path, target: &str) -> anyhow::Result<PathBuf> {
    let home = std::env::var("CARGO_HOME").unwrap_or(format!("{}/.cargo", std::env::var("HOME").unwrap_or_default()));
    let mut flags = vec![
        format!("--remap-path-prefix={}=kmerge", root.display()),
        format!("--remap-path-prefix={home}=cargo"),
        "-Cstrip=symbols".to_owned(),
    ];
    if target.ends_with("-linux-gnu") {
        // Without libraries to load, a process starts in two thirds of the instructions, and runs on any Linux.
        flags.push("-Ctarget-feature=+crt-static".to_owned());
        // Nothing to relocate: of 143 page faults of a start, 58 were for pages that relocation writes. The addresses of code are
        // then the same in each process, as they are in `kubectl` and `kpt`; `docs/security.md` says what that means.
        flags.push("-Crelocation-model=static".to_owned());
        // Nothing unwinds where a panic aborts.
        flags.push("-Cforce-unwind-tables=no".to_owned());
    }
    let status = Command::new("cargo")
        .args(["build", "--locked", "--profile", "dist", "-p", "kmerge-cli", "--target", target])
        .current_dir(root)
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
        .status()
        .context("cannot run cargo")?;
    ensure!(status.success(), "the build has failed");
    let directory = target_directory(root).join(target).join("dist");
    Ok(directory.join(if target.contains("windows") { "kmerge.exe" } else { "kmerge" }))
}

/// Whether a program for Linux still has the names of its functions, which are a tenth of it.
fn has_symbols(program: &[u8]) -> bool {
    const TABLE: &[u8] = b"\0.symtab\0";
    program.starts_with(b"\x7fELF") && program.windows(TABLE.len()).any(|bytes| bytes == TABLE)
}

fn target_directory(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

fn said(program: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new(program).args(arguments).output().context("cannot run kmerge")?;
    ensure!(output.status.success(), "kmerge {} has failed", arguments.join(" "));
    Ok(String::from_utf8(output.stdout)?)
}

fn manual(program: &Path) -> anyhow::Result<Vec<Member>> {
    let room = tempfile::tempdir()?;
    let directory = room.path().to_str().context("a temporary directory has a plain name")?;
    said(program, &["man", "--all", directory])?;
    let mut pages = Vec::new();
    for entry in room.path().read_dir()? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        pages.push(Member::text(&format!("man/{name}"), std::fs::read_to_string(entry.path())?));
    }
    Ok(pages)
}

/// Seconds since 1970: the time of the commit, or what `SOURCE_DATE_EPOCH` says.
fn commit_time(root: &Path) -> anyhow::Result<u64> {
    if let Ok(time) = std::env::var("SOURCE_DATE_EPOCH") {
        return time.parse().context("SOURCE_DATE_EPOCH is no number");
    }
    let output = Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root).output()?;
    String::from_utf8(output.stdout)?.trim().parse().context("git names no time; set SOURCE_DATE_EPOCH")
}

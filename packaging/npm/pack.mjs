// Makes npm packages of the archives in target/packages: one for each platform with its binary, and `kmerge`, which names them all as
// optional dependencies, so that npm installs the one that fits. No script runs when they are installed.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../..");
const dist = join(root, "target/packages");
const version = readFileSync(join(root, "Cargo.toml"), "utf8").match(/^version = "(.*)"$/m)[1];
const platforms = [
  // Static binaries, which run on any Linux.
  ["x86_64-unknown-linux-gnu", "linux", "x64"],
  ["aarch64-unknown-linux-gnu", "linux", "arm64"],
  ["x86_64-apple-darwin", "darwin", "x64"],
  ["aarch64-apple-darwin", "darwin", "arm64"],
  ["x86_64-pc-windows-msvc", "win32", "x64"],
];
const common = {
  version,
  description: "Merges and edits Kubernetes YAML without touching a byte that no one changed",
  license: "MIT OR Apache-2.0",
  repository: { type: "git", url: "git+https://github.com/kmerge/kmerge.git" },
};

const out = join(dist, "npm");
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const room = mkdtempSync(join(tmpdir(), "kmerge-npm-"));

function pack(manifest, files) {
  const directory = join(room, manifest.name);
  mkdirSync(directory);
  for (const [from, to] of [...files, ["LICENSE-MIT"], ["LICENSE-APACHE"]]) {
    copyFileSync(resolve(root, from), join(directory, to ?? from));
  }
  writeFileSync(join(directory, "package.json"), `${JSON.stringify({ ...manifest, ...common }, null, 2)}\n`);
  execFileSync("npm", ["pack", "--silent", "--pack-destination", out, directory], { stdio: ["ignore", "inherit", "inherit"] });
}

let count = 0;
for (const [target, os, cpu] of platforms) {
  const name = `kmerge-${version}-${target}`;
  const archive = join(dist, `${name}.tar.gz`);
  if (!existsSync(archive)) continue;
  execFileSync("tar", ["-xzf", archive, "-C", room]);
  const file = os === "win32" ? "kmerge.exe" : "kmerge";
  const manifest = { name: `kmerge-${os}-${cpu}`, os: [os], cpu: [cpu], preferUnplugged: true };
  chmodSync(join(room, name, file), 0o755);
  pack(manifest, [[join(room, name, file), file], [join(room, name, "THIRD-PARTY.txt"), "THIRD-PARTY.txt"]]);
  count += 1;
}
if (count === 0) throw new Error("there is no archive in target/packages: run `cargo xtask dist`");
const optionalDependencies = Object.fromEntries(platforms.map(([, os, cpu]) => [`kmerge-${os}-${cpu}`, version]));
pack({ name: "kmerge", bin: { kmerge: "kmerge.cjs" }, engines: { node: ">=18" }, optionalDependencies }, [
  ["packaging/npm/kmerge.cjs", "kmerge.cjs"],
  ["crates/kmerge-cli/README.md", "README.md"],
]);
rmSync(room, { recursive: true });

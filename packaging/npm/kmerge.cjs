#!/usr/bin/env node
// Runs the binary of this platform, which npm has installed as an optional dependency.
"use strict";

const { spawnSync } = require("node:child_process");
const { constants } = require("node:os");

const name = `kmerge-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "kmerge.exe" : "kmerge";
let binary;
try {
  binary = require.resolve(`${name}/${file}`);
} catch {
  console.error(`kmerge: there is no package ${name} (installed with --omit=optional, or a platform without a binary)`);
  process.exit(2);
}
const done = spawnSync(binary, process.argv.slice(2), { stdio: "inherit" });
if (done.error) {
  console.error(`kmerge: ${done.error.message}`);
  process.exit(2);
}
process.exit(done.status ?? 128 + constants.signals[done.signal]);

// Tests of the review page in a real browser: `cargo xtask browser` prepares the files and runs this.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [kmerge, room, screenshots] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });

// A page that was opened, what went wrong on it, and what it asked the network for.
async function open(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 1000 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const errors = [], requests = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => { if (message.type() === "error") errors.push(message.text()); });
  page.on("request", (request) => { if (!/^(data|blob):/.test(request.url())) requests.push(request.url()); });
  await page.goto(address);
  return { page, errors, requests };
}

const fileAddress = (name) => pathToFileURL(path.join(room, name)).href;
const summary = (page) => page.locator("#summary").textContent();

async function downloaded(page, file) {
  const [download] = await Promise.all([page.waitForEvent("download"),
    page.locator(`#file-${file}`).getByRole("button", { name: "Download" }).click()]);
  return fs.readFileSync(await download.path(), "utf8");
}

const tests = {
  async "the page opens, counts, and loads nothing"() {
    const { page, errors, requests } = await open(fileAddress("review.html"));
    assert.equal(await summary(page), "2 files, 3 conflicts left");
    assert.equal(await page.locator("#filters button[data-kind=conflict]").textContent(), "conflict 3");
    assert.equal(await page.locator("#tree a:not(.resource)").count(), 2);
    // Rows are put on the page when they come near the screen.
    await page.locator(".hunk").nth(2).waitFor();
    assert.equal(await page.locator(".hunk").count(), 3);
    await page.locator("#filters button[data-kind=conflict]").click();
    await page.locator(".hunk").nth(2).waitFor();
    assert.equal(await page.locator(".hunk").count(), 3);
    assert.equal(await page.locator(".kind:not(.conflict)").count(), 0);
    assert.deepEqual(errors, []);
    assert.deepEqual(requests, [fileAddress("review.html")]);
    assert.ok(fs.statSync(path.join(room, "review.html")).size < 300_000);
  },

  async "a file without choices is what kmerge resolve writes"() {
    const { page } = await open(fileAddress("review.html"));
    assert.equal(await downloaded(page, 0), fs.readFileSync(path.join(room, "resolved", "d.yaml"), "utf8"));
  },

  async "keys choose, undo and edit"() {
    const { page, errors } = await open(fileAddress("review.html"));
    const press = (...keys) => keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve());
    await press("n", "1");
    assert.equal(await summary(page), "2 files, 2 conflicts left");
    await press("n", "2", "u", "2");
    assert.equal(await summary(page), "2 files, 1 conflict left");
    const text = await downloaded(page, 0);
    assert.equal(text, fs.readFileSync(path.join(room, "chosen.yaml"), "utf8"));
    await press("p", "e");
    await page.locator("textarea").fill("  replicas: 42\n");
    await page.getByRole("button", { name: "Take this" }).click();
    assert.match(await downloaded(page, 0), /^  replicas: 42$/m);
    await press("v");
    assert.equal(await page.locator("main.side-by-side").count(), 1);
    assert.equal(await summary(page), "2 files, 1 conflict left");
    await press("?");
    assert.ok(await page.locator("#help").isVisible());
    assert.deepEqual(errors, []);
  },

  async "a Secret is hidden"() {
    const { page } = await open(fileAddress("review.html"));
    assert.ok(!(await page.content()).includes("geheim"));
    assert.equal(await page.locator("#file-1").getByRole("button", { name: "Download" }).count(), 0);
    assert.equal(await page.locator("#file-1").getByRole("button", { name: "e Edit" }).count(), 0);
    assert.match(await page.locator("#file-1 .note").textContent(), /To edit a conflict, use kmerge review --serve/);
  },

  async "the server writes what was chosen, for those who know its address"() {
    const server = spawn(kmerge, ["review", "--serve"], { cwd: path.join(room, "served"), stdio: ["ignore", "ignore", "pipe"] });
    const ended = new Promise((resolve) => server.on("exit", resolve));
    const address = await new Promise((resolve) => {
      let said = "";
      server.stderr.on("data", (bytes) => {
        said += bytes;
        const found = said.match(/http:\S+\//);
        if (found) resolve(found[0]);
      });
    });
    const origin = new URL(address).origin;
    assert.equal((await fetch(`${origin}/`)).status, 404);
    assert.equal((await fetch(`${origin}/${"0".repeat(32)}/write`, { method: "POST", body: "{}" })).status, 404);
    const { page, errors } = await open(address);
    for (const key of ["n", "1", "n", "2", "n", "1"]) await page.keyboard.press(key);
    assert.equal(await summary(page), "2 files, 0 conflicts left");
    const message = (file, kind, text) => page.locator(`#file-${file} [role=alert] .${kind}`, { hasText: text }).waitFor();
    // A hidden value is put back by the server; a placeholder that stands for nothing is refused.
    const editSecret = async (text) => {
      await page.locator("#file-1").getByRole("button", { name: "e Edit" }).click();
      await page.locator("textarea").fill(text);
      await page.getByRole("button", { name: "Take this" }).click();
      await page.locator("#file-1").getByRole("button", { name: "Write" }).click();
    };
    await page.locator("#file-1").getByRole("button", { name: "e Edit" }).click();
    assert.equal(await page.locator("textarea").inputValue(), "  a: ***\n");
    await editSecret("  b: ***\n");
    await message(1, "fault", "line 1 of the edit ends with ***");
    await editSecret("  a: ***\n  b: new\n");
    await page.locator("#file-0").getByRole("button", { name: "Write" }).click();
    for (const file of [0, 1]) await message(file, "note", "Written.");
    const written = (name) => fs.readFileSync(path.join(room, "served", name), "utf8");
    assert.equal(written("d.yaml"), fs.readFileSync(path.join(room, "chosen.yaml"), "utf8"));
    assert.match(written("s.yaml"), /^  a: geheim2\n  b: new$/m);
    assert.ok(!(await page.content()).includes("geheim"));
    fs.appendFileSync(path.join(room, "served", "d.yaml"), "# by somebody else\n");
    await page.locator("#file-0").getByRole("button", { name: "Write" }).click();
    await page.locator("#file-0 .fault", { hasText: "has changed since" }).waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    assert.equal(await ended, 0);
    assert.deepEqual(errors, []);
  },

  async "a page of 5,000 resources scrolls"() {
    const started = Date.now();
    const { page, errors } = await open(fileAddress("large.html"));
    await page.locator(".row").first().waitFor();
    const nodes = await page.evaluate(() => document.getElementById("files").querySelectorAll("*").length);
    assert.ok(nodes < 20_000, `${nodes} elements at once`);
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await page.locator(".row", { hasText: "resource-4999" }).first().waitFor();
    for (let at = 0; at < 50; at += 1) await page.keyboard.press("j");
    assert.ok(Date.now() - started < 60_000);
    assert.deepEqual(errors, []);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
}
if (screenshots) {
  for (const colorScheme of ["light", "dark"]) {
    const { page } = await open(fileAddress("review.html"), { colorScheme });
    await page.locator(".hunk").first().waitFor();
    await page.screenshot({ path: path.join(screenshots, `review-${colorScheme}.png`) });
    await page.keyboard.press("v");
    await page.locator(".side-by-side .hunk").first().waitFor();
    await page.screenshot({ path: path.join(screenshots, `review-${colorScheme}-wide.png`) });
  }
}
await browser.close();
process.exit(failed === 0 ? 0 : 1);

// SPDX-License-Identifier: BSD-3-Clause
// What everybody must reach: keys alone do all that the pointer does, and axe-core finds nothing to object to (contrast AA, names, roles),
// on a page, a comparison, a wrong schedule, reports, and the gallery.
//   node e2e/reach.js COMMAND [FOLDER]    writes pictures to FOLDER
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, pageOf } from "./browser.js";

const [command, pictures] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "quadrille-reach-"));
const env = { ...process.env, QUADRILLE_WISDOM: "off" };
const url = (name) => pathToFileURL(join(folder, name)).href;
const view = (name, ...words) => spawnSync(command, ["view", ...words, "-o", join(folder, name)], { env });

const bruck = ["alltoall", "--algorithm", "bruck:radix=2"];
view("page.html", ...bruck, "--ranks", "8");
view("two.html", ...bruck, "--algorithm", "shift", "--ranks", "8");
const text = execFileSync(command, ["schedule", "alltoall", "--algorithm", "shift", "--ranks", "4"], { env }).toString();
writeFileSync(join(folder, "wrong.sched"), text.replace(/  send to .*\n/, ""));
view("wrong.html", join(folder, "wrong.sched"));
execFileSync(command, ["view", "--gallery", join(folder, "gallery")], { env });
const entry = (algorithm, median_s) => ({ algorithm, median_s, lower_s: median_s, upper_s: median_s, c1: 1, c2: 8 });
const sizes = [8, 64].map((block_bytes) => ({ block_bytes, entries: [entry("direct", 1e-6), entry("bruck", 2e-6)] }));
const races = pageOf("races", JSON.stringify({ collective: "alltoall", ranks: 4, sizes }));

const browser = await launch();
let failed = 0;

async function check(name, address, body, options = {}) {
  const begin = Date.now();
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  try {
    await page.goto(address);
    await body(page);
    console.log(`passed: ${name} (${Date.now() - begin} ms)`);
  } catch (error) {
    ++failed;
    console.log(`FAILED: ${name}: ${error.message}`);
  }
  await context.close();
}

const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50))));
const fragment = async (page) => (await settled(page), page.evaluate(() => location.hash));

// Presses Tab until the focus is where it was, and demands that it has been on all that can be clicked, with an outline.
async function tabsThroughAll(page) {
  const all = await page.evaluate(() => {
    const list = [
      ...document.querySelectorAll("a, button, select, input, summary, textarea, .pane canvas, iframe, [data-round]"),
    ];
    const clickable = list.filter((each) => each.checkVisibility() && !each.closest("[aria-hidden=true]"));
    clickable.forEach((each, i) => (each.dataset.reach = i));
    return clickable.map((each) => `${each.tagName} ${each.getAttribute("aria-label") ?? each.textContent}`.slice(0, 60));
  });
  const reached = new Set();
  for (let i = 0; i < all.length + 12; ++i) {
    await page.keyboard.press("Tab");
    const [which, isSeen] = await page.evaluate(() => {
      const { activeElement: at } = document;
      return [at.dataset.reach, at === document.body || getComputedStyle(at).outlineStyle !== "none"];
    });
    if (which !== undefined) reached.add(Number(which));
    assert.ok(isSeen, `the focus is not seen on ${all[which]}`);
  }
  assert.deepEqual(
    all.filter((_, i) => !reached.has(i)),
    [],
    "keys do not reach these",
  );
}

await check("keys alone: a page", url("page.html"), async (page) => {
  for (const view of ["1", "5", "6", "8"]) {
    await page.keyboard.press(view);
    await settled(page);
    await tabsThroughAll(page);
  }
  await page.keyboard.press("1");
  await page.locator("main canvas").first().focus();
  const tip = page.locator("main .tip").first();
  const told = new Set();
  for (let i = 0; i < 10; ++i) {
    await page.keyboard.press("Shift+ArrowRight");
    told.add(await tip.textContent());
  }
  for (const rank of [0, 3, 7])
    assert.ok(
      [...told].some((each) => each.startsWith(`rank ${rank}, `)),
      [...told].join("; "),
    );
  do await page.keyboard.press("Shift+ArrowDown");
  while (!/block from/.test(await tip.textContent()));
  await page.keyboard.press("Enter");
  assert.match(await fragment(page), /rank=\d&block=\d,\d+,8/);
  assert.match(await page.locator(".status").textContent(), /^Round 0 /, "arrows with Shift do not step");
  await page.locator(".times canvas").focus();
  for (let i = 0; i < 3; ++i) await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Enter");
  assert.match(await fragment(page), /round=\d/);
});

await check("keys alone: a comparison", url("two.html"), async (page) => {
  await tabsThroughAll(page);
  await page.getByLabel("Go to the first difference").focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("Clock by which the page plays").focus();
  await page.keyboard.press("ArrowDown");
  assert.match(await page.locator("p.verdict").textContent(), /µs/);
  await page.locator("h1").click();
  await page.keyboard.press("4");
  await settled(page);
  assert.match(await page.evaluate(() => location.hash), /views=traffic,traffic/, "both sides show the same view");
});

await check("keys alone: a finding leads to its rank and block", url("wrong.html"), async (page) => {
  await tabsThroughAll(page);
  await page.locator("main [data-round]").first().focus();
  await page.keyboard.press("Enter");
  assert.match(await fragment(page), /rank=/);
});

await check("keys alone: the gallery", url("gallery/index.html"), async (page) => {
  await tabsThroughAll(page);
  await page.locator("a:visible", { hasText: "4. Bruck" }).last().focus();
  await page.keyboard.press("Enter");
  await page.locator(".status").waitFor();
  await page.keyboard.press("ArrowRight");
  assert.match(await page.locator(".status").textContent(), /^Round 1 /);
});

await check("keys alone: races", races, tabsThroughAll);

const looked = [
  ["page", `${url("page.html")}#round=1&block=2,56,8&views=memory,figures`, ["light", "dark"]],
  ["two", url("two.html"), ["light"]],
  ["wrong", url("wrong.html"), ["dark"]],
  ["index", url("gallery/index.html"), ["light"]],
  ["races", races, ["light", "dark"]],
];
for (const [name, address, schemes] of looked)
  for (const colorScheme of schemes)
    await check(
      `axe-core: ${name}, ${colorScheme}`,
      address,
      async (page) => {
        await settled(page);
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() =>
          // One section of the index is as good as all.
          window.axe.run(document.querySelector(".index > section") ?? document, {
            runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
            resultTypes: ["violations"],
          }),
        );
        assert.deepEqual(
          violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`.slice(0, 200)),
          [],
        );
        for (const width of [1400, 390]) {
          await page.setViewportSize({ width, height: 850 });
          await settled(page);
          assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `cut at ${width} pixels`);
          if (pictures) await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`), fullPage: true });
        }
      },
      { colorScheme },
    );

await browser.close();
process.exit(failed ? 1 : 0);

// SPDX-License-Identifier: BSD-3-Clause
// The page on which readers write schedules, in a browser, from disk.
//   node e2e/editor.js COMMAND [FOLDER]    writes pictures to FOLDER
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.js";

const [command, pictures] = process.argv.slice(2);
const course = join(mkdtempSync(join(tmpdir(), "quadrille-course-")), "course");
const written = spawnSync(command, ["view", "--gallery", course, "--course"]);
if (written.status !== 0) {
  const said = written.stderr.toString();
  console.log(said);
  process.exit(said.includes("quadrille_browser_verifier") ? 0 : 1); // it is optional
}
assert.ok(statSync(join(course, "verifier.js")).size < 3 * 1024 * 1024);
const editor = pathToFileURL(join(course, "write.html")).href;
const browser = await launch();
let failed = 0;

async function check(name, body, { hash = "", errors: expected = 0, ...options } = {}) {
  const begin = Date.now();
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("request", (request) => /^https?:/.test(request.url()) && errors.push(`request of ${request.url()}`));
  try {
    await page.goto(editor + hash);
    await body(page);
    if (!expected) assert.deepEqual(errors, []);
    console.log(`passed: ${name} (${Date.now() - begin} ms)`);
  } catch (error) {
    ++failed;
    console.log(`FAILED: ${name}: ${error.message}; ${errors}`);
  }
  await context.close();
}

const verdict = (page) => page.locator(".verdict").textContent();

async function proved(page, text) {
  if (text !== undefined) await page.getByLabel("Your schedule").fill(text);
  await page.getByRole("button", { name: /^Prove/ }).click();
  await page.waitForFunction(() => {
    const said = document.querySelector(".verdict").textContent;
    return !/(not proved yet|\.\.\.)/.test(said) && !document.querySelector("button:disabled");
  });
  return verdict(page);
}

await check("each task: what it begins with does not do it, and its solution does", async (page) => {
  const tasks = await page.getByLabel("Task", { exact: true }).locator("option").allTextContents();
  assert.equal(tasks.length, 13);
  for (let task = 1; task <= 12; ++task) {
    await page.getByLabel("Task", { exact: true }).selectOption(String(task));
    assert.doesNotMatch(await proved(page), /task is done/, tasks[task]);
    await page.getByRole("button", { name: /solution/ }).click();
    assert.match(await proved(page), /^Proved for .*The task is done\.$/, tasks[task]);
  }
});

await check(
  "a wrong program: the cause, and its place in the frame",
  async (page) => {
    assert.match(await proved(page), /^Wrong for 3 ranks: .*overlap|^Wrong for \d+ ranks: /);
    const frame = page.frameLocator("iframe");
    await frame.locator(".status").waitFor();
    assert.match(await frame.locator("main .content").nth(1).textContent(), /finding/);
    if (pictures) await page.screenshot({ path: join(pictures, "wrong-1400.png"), fullPage: true });
  },
  { hash: "#task=2" },
);

await check("proved for 2 to 64 ranks, and raced", async (page) => {
  const said = await proved(page);
  assert.match(said, /^Proved for 2 to 64 ranks, in [\d.]+ s\.$/);
  console.log(`  allgather ring: ${said}`);
  await page.getByRole("button", { name: /^Race/ }).click();
  await page.locator(".yours").waitFor();
  assert.match(await page.locator(".results h2").textContent(), /yours is number \d+ of \d+/);
  if (pictures) await page.screenshot({ path: join(pictures, "race-1400.png"), fullPage: true });
});

await check("an alltoall is proved for 2 to 64 ranks", async (page) => {
  await page.getByLabel("Task", { exact: true }).selectOption("3");
  const program = await page.getByLabel("Your schedule").inputValue();
  const link = `#${new URLSearchParams({ collective: "alltoall", text: program.replace(/^/, "if (ranks < 64) return;\n") })}`;
  await page.goto(editor + link);
  await proved(page, "copy(input(rank), output(rank));");
  const ms = await page.evaluate(async () => performance.now());
  const said = await proved(page, program);
  const after = await page.evaluate(async () => performance.now());
  console.log(`  alltoall, all of 2 to 64 ranks: ${said} ${Math.round(after - ms)} ms`);
  assert.match(said, /^Proved for 2 to 64 ranks/);
});

for (const [name, text, expected] of [
  ["an endless loop is stopped", "for (;;);", /^The program was stopped after \d+ s\.$/],
  ["a mistake in the language is named with its line", "copy(input(), output(rank));\nsend(;", /^Line 2: /],
  [
    "an error of the program is named with its line",
    "copy(input(), output(rank));\n\nnothing();",
    /^Line 3: .*nothing is not defined/,
  ],
  ["a copy without places is refused", "\ncopy();", /^Line 2: A place is missing/],
  ["a forged message is refused", "postMessage({ programs: [[]] }); yield round;", /^The program sent something else/],
  ["a document that is no schedule is refused", "quadrille-schedule-text/1\nranks two", /line 2/i],
])
  await check(name, async (page) => assert.match(await proved(page, text), expected), { errors: 1 });

await check(
  "a program has no network",
  async (page) => {
    const said = await proved(page, 'fetch("https://example.org/").catch(() => {}); importScripts("https://example.org/a.js");');
    assert.match(said, /importScripts/);
  },
  { errors: 1 },
);

await check("a link holds the text", async (page) => {
  await page.getByLabel("Your schedule").fill("// mine & yours\nyield round;");
  await page.getByRole("button", { name: /link/ }).click();
  const link = await page.getByLabel("Link to this text").inputValue();
  await page.goto("about:blank");
  await page.goto(link);
  assert.equal(await page.getByLabel("Your schedule").inputValue(), "// mine & yours\nyield round;");
});

await check("the keyboard alone reaches everything", async (page) => {
  const reached = new Set();
  for (let i = 0; i < 16; ++i) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.tagName));
  }
  const all = await page
    .locator("a, select, textarea, button, summary, input")
    .evaluateAll((list) =>
      list.filter((each) => each.offsetParent).map((each) => each.getAttribute("aria-label") ?? each.tagName),
    );
  for (const each of all) assert.ok(reached.has(each), `${each} is not reached`);
  await page.getByLabel("Your schedule").focus();
  await page.keyboard.press("Control+Enter");
  await page.locator(".verdict.right").waitFor();
  await page.frameLocator("iframe").locator(".status").waitFor();
});

// The contrast of a text with its ground, as WCAG defines it.
const contrasts = (page) =>
  page.evaluate(() => {
    const light = (colour) => {
      const parts = colour
        .match(/[\d.]+/g)
        .slice(0, 3)
        .map((part) => part / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    };
    const ground = (element) => {
      const colour = getComputedStyle(element).backgroundColor;
      return element.parentElement && /, 0\)$/.test(colour) ? ground(element.parentElement) : colour;
    };
    return [...document.querySelectorAll("h1, p, a, summary, textarea, button, select, .verdict, td, th, li, code")]
      .filter((element) => element.offsetParent)
      .map((element) => {
        const [a, b] = [light(getComputedStyle(element).color), light(ground(element))].sort((x, y) => y - x);
        return [element.tagName, (a + 0.05) / (b + 0.05)];
      });
  });

for (const width of [390, 1400])
  for (const colorScheme of ["light", "dark"])
    await check(
      `${width} pixels, ${colorScheme}: nothing is cut, and every text has contrast`,
      async (page) => {
        await page.locator("summary").click();
        await proved(page);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
        for (const [what, contrast] of await contrasts(page)) assert.ok(contrast >= 4.5, `${what} has a contrast of ${contrast}`);
        await page.frameLocator("iframe").locator(".status").waitFor();
        if (pictures) await page.screenshot({ path: join(pictures, `${colorScheme}-${width}.png`), fullPage: true });
      },
      { hash: "#task=4", colorScheme, viewport: { width, height: 850 } },
    );

assert.ok(existsSync(join(course, "handout-4.pdf")) || existsSync(join(course, "handout-4.svg")));
await browser.close();
process.exit(failed ? 1 : 0);

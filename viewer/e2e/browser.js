// SPDX-License-Identifier: BSD-3-Clause
// Starts Debian's Chromium, and makes pages from data as the command does.
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const executable = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);

export const launch = () => chromium.launch({ executablePath: executable, args: ["--no-sandbox", "--disable-gpu"] });

const template = readFileSync(new URL("../dist/viewer.html", import.meta.url), "utf8");
const folder = mkdtempSync(join(tmpdir(), "quadrille-viewer-"));

export function pageOf(name, text) {
  const file = join(folder, `${name}.html`);
  // A function, because "$&" in a text must stay as it is.
  writeFileSync(
    file,
    template.replace('id="data">', () => `id="data">${text.replaceAll("<", "\\u003c")}`),
  );
  return pathToFileURL(file).href;
}

// SPDX-License-Identifier: BSD-3-Clause
// Puts the built script and style into one page, dist/viewer.html, whose policy allows nothing but these two, by their hashes.
// The script replaces the sentence at the top of the body, so a file that was cut shows it. The style comes after it for this reason.
// `node scripts/seal.js --check` compares the page with the committed one instead of writing it.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const read = (name) => readFileSync(new URL(`../build/${name}`, import.meta.url), "utf8").trim();
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const [script, style] = [read("viewer.js"), read("viewer.css")];
if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) throw new Error("the script or the style would end its element");
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`;

const page = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quadrille</title>
</head>
<body>
<div id="page">
<p>This page is incomplete: its file was cut, or the program that draws it was not loaded. Write it again by 'quadrille view'.</p>
<noscript><p>This page draws with JavaScript, which is switched off.</p></noscript>
</div>
<style>${style}</style>
<script type="application/json" id="data"></script>
<script>${script}</script>
</body>
</html>
`;

const target = new URL("../dist/viewer.html", import.meta.url);
if (process.argv.includes("--check")) {
  if (readFileSync(target, "utf8") !== page) {
    console.error("viewer/dist/viewer.html is not what its sources give; run 'npm run build' in viewer/ and commit it");
    process.exit(1);
  }
} else {
  mkdirSync(new URL(".", target), { recursive: true });
  writeFileSync(target, page);
}

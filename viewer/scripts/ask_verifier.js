// SPDX-License-Identifier: BSD-3-Clause
// Asks the verifier for browsers what the native one was asked: ask_verifier.js VERIFIER FILE. Each line of FILE is a list of a
// question and the native answer. Prints the questions whose answers differ, and exits with 1 if there are any.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";

const [verifier, file] = process.argv.slice(2);
new Function(readFileSync(verifier, "utf8"))();
const { glue, wasm } = globalThis.quadrilleVerifier;
const make = new Function("require", "__filename", "__dirname", `${glue}; return makeVerifier;`)(
  createRequire(import.meta.url),
  "",
  "",
);
const made = await make({ wasmBinary: gunzipSync(Buffer.from(wasm, "base64")) });

let differing = 0;
const lines = readFileSync(file, "utf8").trim().split("\n");
for (const line of lines) {
  const [asked, expected] = JSON.parse(line);
  const question = made.allocateUTF8(asked);
  const answer = made.UTF8ToString(made._quadrille_answer(question));
  made._free(question);
  if (answer === expected) continue;
  if (++differing <= 5) console.log(`${asked}\n  native:  ${expected}\n  browser: ${answer}`);
}
console.log(`${lines.length} documents, ${differing} with another answer`);
process.exitCode = differing ? 1 : 0;

// SPDX-License-Identifier: BSD-3-Clause
// Puts the glue and the compressed WebAssembly of the verifier into one script, verifier.js: pack_verifier.js GLUE WASM FILE
// A page that was opened from disk may load a script, and nothing else; and it starts workers from texts only.
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const [glue, wasm, file] = process.argv.slice(2);
const most = 3 * 1024 * 1024;
const packed = { glue: readFileSync(glue, "utf8"), wasm: gzipSync(readFileSync(wasm), { level: 9 }).toString("base64") };
const script = `globalThis.quadrilleVerifier = ${JSON.stringify(packed)};\n`;
if (script.length > most) throw new Error(`the verifier has ${script.length} bytes; a gallery loads at most ${most}`);
writeFileSync(file, script);

// SPDX-License-Identifier: BSD-3-Clause
// Whatever a document holds, it is shown or refused by a sentence.
import { describe, expect, test } from "vitest";
import { readPage } from "../src/load/document";
import { Refusal } from "../src/load/reader";
import { Replay } from "../src/model/replay";
import { figures } from "../src/model/figures";
import { exchange, scheduleNames, scheduleText } from "./schedules";
import { layoutOfTrace, traceText } from "./trace";

// Reads a document, and does with it what a page does first.
function outcome(text: string): string {
  try {
    for (const of of readPage(text).exchanges) {
      const replay = new Replay(of);
      replay.faults();
      figures(of);
    }
    return "shown";
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
}

test("a file that was opened is named, and what no page shows says what to do", () => {
  expect(() => readPage("", "mine.json")).toThrow("mine.json is empty.");
  expect(() => readPage("{", "mine.json")).toThrow(/mine.json/);
  expect(() => readPage("{")).toThrow(/the data of this page/);
  expect(() => readPage(`[${scheduleText("alltoall-bruck-5")},${"{},".repeat(2)}{}]`)).toThrow(/--only NUMBER/);
  expect(() => readPage('[{"candidates": []}, {}, {}]')).toThrow(/'quadrille plot' draws them/);
});

test.each([
  ["", /no data/],
  ["{", /is not JSON/],
  ["null", /must be an object/],
  ["[]", /no schedule/],
  ["{}", /no "format"/],
  ['{"format": "quadrille-race/9"}', /format "quadrille-race\/9"/],
  ['{"format": "quadrille-schedule/1"}', /no "collective"/],
  ['{"format": "quadrille-schedule/1", "collective": "gossip"}', /"gossip" is not a collective/],
  ['{"format": "quadrille-schedule/1", "collective": "alltoall", "ranks": 1e9}', /at most 1024/],
  ['{"format": "quadrille-schedule/1", "collective": "alltoall", "ranks": 2.5}', /whole number/],
  ['{"format": "quadrille-page/1", "links": [{"text": "x", "file": "javascript:alert(1)"}], "documents": []}', /name of a page/],
])("%s is refused", (text, sentence) => {
  expect(outcome(text)).toMatch(sentence);
  expect(outcome(text)).toMatch(/\.$/);
});

const pageWith = (layout: unknown): string =>
  JSON.stringify({ format: "quadrille-page/1", layouts: [layout], documents: [JSON.parse(traceText)] });

test.each([
  [layoutOfTrace, "shown"],
  [null, "shown"],
  [{ ...layoutOfTrace, x: [1] }, /must have 2 places/],
  [{ ...layoutOfTrace, y: [1, "2"] }, /must be a number/],
  [{ ...layoutOfTrace, width: 0 }, /positive "width"/],
  [{ ...layoutOfTrace, switches: ["hub"] }, /must have 0 names of switches/],
  [{ ...layoutOfTrace, stubs: { link: [9], x: [], y: [0] } }, /must have 1 places/],
  [{ ...layoutOfTrace, parts: [{}] }, /no "x"/],
])("layout %#", (layout, expected) => {
  if (expected === "shown") expect(outcome(pageWith(layout))).toBe("shown");
  else expect(outcome(pageWith(layout))).toMatch(expected);
});

test("a short document cannot ask for a long table", () => {
  const trace = JSON.parse(traceText);
  trace.messages.round = { runs: [0, 0, 2 ** 40] };
  expect(outcome(JSON.stringify(trace))).toMatch(/more than \d+ values/);
});

// A random document: parts of a right one are replaced, removed, repeated or exchanged.
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const foreign = [null, true, "", "x", -1, 0, 1, 3, 1e300, 2 ** 53, 0.5, [], {}, [[]], "<script>", ["input", 0, 8], [0, 1, 2]];

function mutate(value: unknown, next: () => number): unknown {
  const at = (count: number) => Math.floor(next() * count);
  if (next() < 0.02 || typeof value !== "object" || value === null) return next() < 0.6 ? foreign[at(foreign.length)] : value;
  const keys = Object.keys(value);
  if (keys.length === 0) return foreign[at(foreign.length)];
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  const key = keys[at(keys.length)]!;
  const change = next();
  if (change < 0.1) delete copy[key];
  else if (change < 0.2) copy[key] = copy[keys[at(keys.length)]!];
  else copy[key] = mutate(copy[key], next);
  return copy;
}

describe("changed documents", () => {
  const rounds = Number(process.env["QUADRILLE_FUZZ"] ?? 300);
  test.each([...scheduleNames, "trace"])("%s", (name) => {
    const document: unknown = JSON.parse(name === "trace" ? traceText : scheduleText(name));
    const next = random(1);
    let refused = 0;
    for (let i = 0; i < rounds; ++i) {
      let changed = document;
      for (let k = 0; k <= i % 3; ++k) changed = mutate(changed, next);
      if (outcome(JSON.stringify(changed)) !== "shown") ++refused;
    }
    expect(refused).toBeGreaterThan(rounds / 10);
  });
  test("layouts of a page", () => {
    const next = random(2);
    let refused = 0;
    for (let i = 0; i < rounds; ++i) if (outcome(pageWith(mutate(layoutOfTrace, next))) !== "shown") ++refused;
    expect(refused).toBeGreaterThan(rounds / 10);
  });
  test("cut anywhere", () => {
    for (let length = 1; length < traceText.length - 1; length += 7)
      expect(outcome(traceText.slice(0, length))).toMatch(/is not JSON/);
  });
});

test("the whole documents are shown", () => {
  for (const name of scheduleNames) expect(outcome(scheduleText(name))).toBe("shown");
  expect(outcome(traceText)).toBe("shown");
  expect(exchange("alltoall-bruck-8").ranks).toBe(8);
});

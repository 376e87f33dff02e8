// SPDX-License-Identifier: BSD-3-Clause
// What the editor makes of a reader's text, before it asks the verifier.
import { expect, test } from "vitest";
import { areListed, documentOf, generatorScript, isDocument, linesBefore, type ListedRounds } from "../src/write/language";
import { done, rangeText, sourcesOf, toLink } from "../src/write/sources";
import { tasks } from "../src/write/tasks";

// Runs the worker's script here.
function listed(text: string, ranks: number): ListedRounds[] {
  const self: { onmessage?: (event: { data: number[] }) => void } = {};
  const told: { programs: ListedRounds[] }[] = [];
  const script = generatorScript(text).replace("onmessage =", "self.onmessage =");
  new Function("self", "postMessage", script)(self, (data: { programs: ListedRounds[] }) => told.push(data));
  self.onmessage!({ data: [ranks] });
  return told[0]!.programs;
}

test("a program becomes the text form", () => {
  const programs = listed(
    "copy(input(), output(rank)); send(1 - rank, input()); receive(1 - rank, output(1 - rank)); yield round;",
    2,
  );
  expect(documentOf({ collective: "allgather", block: 8 }, programs)).toBe(`quadrille-schedule-text/1
collective allgather
algorithm yours
ranks 2
block_bytes 8
stage yours first 0 rounds 1

rank 0 scratch 0
round 0
  copy input[0:8] -> output[0:8]
  send to 1 input[0:8]
  receive from 1 output[8:8]

rank 1 scratch 0
round 0
  copy input[0:8] -> output[8:8]
  send to 0 input[0:8]
  receive from 0 output[0:8]
`);
});

test("vectors have a block for each rank, and scratch memory is as large as it must be", () => {
  const programs = listed("yield round; reduce(scratch(round, 2), output(0, 2)); ", 3);
  const text = documentOf({ collective: "allreduce", block: 16 }, programs);
  expect(text).toContain("block_bytes 48\nelement_bytes 8\ncommutative true\nstage yours first 0 rounds 2\n");
  expect(text).toContain("rank 2 scratch 48\nround 1\n  reduce source-first scratch[16:32] -> output[0:32]\n");
});

test("a place must be whole", () => {
  expect(() => listed("send(0, input(rank / 2))", 2)).toThrow("the first block of input is 0.5, and must be a whole number");
});

test("lines are counted as the reader sees them", () => {
  expect(generatorScript("here").split("\n")[linesBefore]).toBe("here");
});

test("a document is known by its beginning", () => {
  expect(["quadrille-schedule-text/1\n", ' {"format": 1}', "copy(input(), output());"].map(isDocument)).toEqual([
    true,
    true,
    false,
  ]);
});

test("a link leads back to the text", () => {
  const own = { task: "", collective: "alltoall", block: 64, most: 16, text: "// a & b = c\nyield round; # é" };
  const link = toLink("file:///course/write.html#task=2", own);
  expect(sourcesOf(new URL(link).hash)).toEqual(own);
  const solved = { ...sourcesOf("#task=4"), text: "mine" };
  expect(sourcesOf(new URL(toLink("https://example.org/write.html", solved)).hash)).toEqual(solved);
});

test("what a link may not say is ignored", () => {
  const own = sourcesOf("");
  expect(sourcesOf("#collective=__proto__&block=1e9&most=65&task=13")).toEqual(own);
  expect(sourcesOf("#task=4&collective=scan&most=8").collective).toBe("alltoall");
});

test("ranges and goals", () => {
  expect([[2, 3, 4], [4, 9, 16], [5]].map(rangeText)).toEqual(["2 to 4 ranks", "4, 9, 16 ranks", "5 ranks"]);
  const task = { ...tasks[0]!, goal: { c1: 3 } };
  expect([3, 4].map((c1) => done(task, { c1, c2: 100 }))).toEqual([true, false]);
});

test("there is a task for each lesson", () => {
  expect(tasks.map((task) => task.lesson.match(/^lesson-(\d+)-/)![1])).toEqual(tasks.map((_, i) => `${i + 1}`));
});

test("a program cannot forge what its ranks do", () => {
  const round = [["send", 1, [["input", 0, 1]]]];
  expect(areListed([[round], [round]], 2)).toBe(true);
  expect(areListed([[round]], 2)).toBe(false);
  for (const wrong of [
    "x",
    null,
    [["send", "1\nrank 2", [["input", 0, 1]]]],
    [["copy", [["code", 0, 1]], []]],
    [["reduce", [], [], "x"]],
  ])
    expect(areListed([[wrong], [round]], 2)).toBe(false);
});

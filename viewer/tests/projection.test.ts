// SPDX-License-Identifier: BSD-3-Clause
// Time lines of projected runs: what is read, and what a part of them shows.
import { expect, test } from "vitest";
import { readPage } from "../src/load/document";
import { moved, partTimes, pieceAt, wholeSpan, zoomed } from "../src/report/projection";

// Rank 0 computes for 100 ns and waits for 50; rank 1 computes for 150 ns; both exchange for 50.
const side = (title: string) => ({
  title,
  rank: [0, 0, 0, 1, 1],
  part: [0, 1, 2, 0, 2],
  name: [0, 1, 2, 0, 2],
  detail: [0, 1, 1, 0, 1],
  last_rank: [-1, 1, 1, -1, 1],
  begin_ns: [0, 100, 150, 0, 150],
  end_ns: [100, 150, 200, 150, 200],
});

const timeline = () => ({
  format: "quadrille-timeline/1",
  title: "./app: 2 ranks on 1 node of hdr",
  sentence: "nothing to gain: your ranks wait for each other",
  text: "all calls",
  ranks: 2,
  names: ["computing", "waiting for late ranks", "Alltoall 64 B"],
  details: ["", "bruck, MPI_COMM_WORLD"],
  sides: [side("Open MPI 4.1"), side("ours")],
});

const read = (document: unknown) => readPage(JSON.stringify(document)).projection!;

test("pieces by rank and time", () => {
  const run = read(timeline());
  expect(run.sides.map((each) => each.title)).toEqual(["Open MPI 4.1", "ours"]);
  const [first] = run.sides;
  expect(first!.first).toEqual([0, 3, 5]);
  expect([0, 99, 100, 160, 200].map((time) => pieceAt(first!, 0, time))).toEqual([0, 0, 1, 2, 3]);
  expect([0, 150, 500].map((time) => pieceAt(first!, 1, time))).toEqual([3, 4, 5]);
});

test("times of the parts in a span", () => {
  const run = read(timeline());
  expect(wholeSpan(run)).toEqual({ from: 0, to: 200 });
  expect(partTimes(run, run.sides[0]!, wholeSpan(run))).toEqual([125e-9, 25e-9, 50e-9, 0, 0]);
  expect(partTimes(run, run.sides[0]!, { from: 120, to: 160 })).toEqual([15e-9, 15e-9, 10e-9, 0, 0]);
});

test("spans stay in the time line", () => {
  const whole = { from: 0, to: 200 };
  expect(zoomed(whole, whole, 0.5, 100)).toEqual({ from: 50, to: 150 });
  expect(zoomed({ from: 50, to: 150 }, whole, 4, 60)).toEqual(whole);
  expect(moved({ from: 50, to: 150 }, whole, 1000)).toEqual({ from: 100, to: 200 });
  expect(moved({ from: 50, to: 150 }, whole, -1000)).toEqual({ from: 0, to: 100 });
  expect(wholeSpan({ ...read(timeline()), sides: [] })).toEqual({ from: 0, to: 1 });
});

test("broken time lines are refused", () => {
  const broken = (change: (document: ReturnType<typeof timeline>) => void) => () => {
    const document = timeline();
    change(document);
    return read(document);
  };
  expect(broken((document) => document.sides[0]!.begin_ns.pop())).toThrow(/must have 5 entries/);
  expect(broken((document) => (document.sides[0]!.begin_ns[1] = 99))).toThrow(/in order, without overlaps/);
  expect(broken((document) => (document.sides[0]!.rank[4] = 0))).toThrow(/in order, without overlaps/);
  expect(broken((document) => (document.sides[1]!.end_ns[4] = 140))).toThrow(/in order, without overlaps/);
  expect(broken((document) => (document.sides[0]!.name[0] = 3))).toThrow(/must be in 0 .. 2/);
  expect(broken((document) => (document.sides[0]!.rank[4] = 2))).toThrow(/must be in 0 .. 1/);
  expect(broken((document) => (document.ranks = 0))).toThrow(/must be in/);
});

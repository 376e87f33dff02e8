// SPDX-License-Identifier: BSD-3-Clause
// What views compute without a canvas: layouts, phases of a round, steps of labels.
import { expect, test } from "vitest";
import { localPart } from "../src/model/clock";
import { layoutOf } from "../src/model/layout";
import { Replay } from "../src/model/replay";
import { light } from "../src/views/look";
import { faultMarks } from "../src/views/memory";
import { memoryLayout, placeAt, yOf } from "../src/views/memory_layout";
import { parallelsOf, sampleOf, spacingOf } from "../src/views/network";
import { middleOf, rowsFor, sampleText } from "../src/views/time_rows";
import { type Frame, labelStep, phaseOf, remembered } from "../src/views/view";
import { exchange, scheduleNames } from "./schedules";

test.each(scheduleNames)(
  "in the memory of %s every place leads back to its rank and offset, and nothing leaves the view",
  (name) => {
    const of = exchange(name);
    for (const [width, height] of [
      [900, 500],
      [320, 260],
    ] as const) {
      const layout = memoryLayout(of, width, height);
      expect(layout.right).toBeLessThanOrEqual(width);
      expect(layout.bottom).toBeLessThanOrEqual(height + 1);
      for (let rank = 0; rank < of.ranks; ++rank)
        for (const section of layout.sections)
          for (const share of [0.01, 0.5, 0.99]) {
            const offset = share * section.bytes;
            const place = placeAt(layout, layout.lefts[rank]! + layout.column / 2, yOf(section, offset))!;
            expect(place.rank).toBe(rank);
            expect(place.section).toBe(section);
            expect(place.offset).toBeCloseTo(offset, 6);
          }
    }
  },
);

test("a round has its local operations first, then its messages, without a gap", () => {
  const of = exchange("alltoall-bruck-5"); // round 0 has both, round 1 only messages
  const frame = (round: number, share: number): Frame => ({
    exchange: of,
    replay: new Replay(of),
    position: round + share,
    round,
    share,
    selection: {},
    way: undefined,
    race: undefined,
    colourBy: "origin",
    sum: false,
    look: light,
    width: 900,
    height: 500,
  });
  expect(phaseOf(frame(0, 0))).toEqual({ kind: "locals", share: 0 });
  const phases = Array.from({ length: 100 }, (_, i) => phaseOf(frame(0, i / 100)));
  const first = phases.findIndex((phase) => phase.kind === "messages");
  expect(phases[first]!.share).toBeLessThan(0.02);
  expect(phases[first - 1]!.share).toBeGreaterThan(0.95);
  expect(phases.slice(first).every((phase) => phase.kind === "messages")).toBe(true);
  expect(phaseOf(frame(1, 0.25))).toEqual({ kind: "messages", share: 0.25 });
});

test("a row of the time view has room for its two halves, and the selected rank always has a row", () => {
  for (const count of [1, 2, 5, 16, 63, 64, 256, 1000, 1024])
    for (const room of [60, 92, 250, 400])
      for (const selected of [undefined, 0, 1, count - 1]) {
        const rows = rowsFor(count, room, selected);
        expect(rows.ranks.length * rows.height).toBeLessThanOrEqual(room + 1e-9);
        expect(rows.height).toBeGreaterThanOrEqual(5);
        expect([...rows.ranks].sort((a, b) => a - b)).toEqual(rows.ranks);
        expect(new Set(rows.ranks).size).toBe(rows.ranks.length);
        if (selected !== undefined && selected < count) expect(rows.ranks).toContain(selected);
        for (const [row, rank] of rows.ranks.entries()) expect(middleOf(rows, rank)).toBe(row + 0.5);
      }
});

test("a rank without a row is at the border between its neighbours' rows", () => {
  const rows = rowsFor(64, 120, 5);
  expect(rows.step).toBe(4);
  expect(rows.ranks.slice(0, 5)).toEqual([0, 5, 6, 8, 15]);
  expect([1, 7, 9, 63].map((rank) => middleOf(rows, rank))).toEqual([1, 3, 4, 17]);
  expect(sampleText(rows, 64)).toMatch(/^\d+ of 64 ranks are shown;/);
  expect(sampleText(rowsFor(16, 96, undefined), 16)).toBe("");
  expect(sampleText(rowsFor(16, 95, undefined), 16)).toMatch(/^8 of 16 ranks are shown;/);
});

test("a sample shows ranks of every place in nodes of 8", () => {
  const { ranks, step } = rowsFor(256, 220, undefined);
  expect(step).toBe(8);
  expect(new Set(ranks.map((rank) => rank % 8)).size).toBe(8);
});

test("the spacing of switches", () => {
  const points = [
    { x: 0, y: 0 },
    { x: 3, y: 0 },
    { x: 0, y: 10 },
    { x: 0, y: 24 },
  ];
  expect(spacingOf(points, 2)).toBe(10);
  expect(spacingOf(points, 4)).toBe(Infinity);
  expect(spacingOf(new Array(401).fill(points[0]), 2)).toBe(0);
});

// Of a block "10→15" among 16 ranks.
test("marks of wrong bytes cover no label", () => {
  const [width, height] = [45, 30];
  const [labelWidth, labelHeight] = [37, 13];
  for (const [x1, y1, x2, y2] of faultMarks({ x: 0, y: 0, width, height }, false))
    for (let share = 0; share <= 1; share += 0.1) {
      const [x, y] = [x1 + share * (x2 - x1), y1 + share * (y2 - y1)];
      expect(Math.abs(x - width / 2) < labelWidth / 2 && Math.abs(y - height / 2) < labelHeight / 2).toBe(false);
    }
  expect(faultMarks({ x: 0, y: 0, width, height }, true)).toHaveLength(1);
});

test("labels have room", () => {
  expect(labelStep(20, 30)).toBe(1);
  expect(labelStep(20, 10)).toBe(2);
  expect(labelStep(20, 3)).toBe(8);
});

test("a value is computed again only when a key changes", () => {
  let computed = 0;
  const sum = remembered((a: number, b: number) => {
    ++computed;
    return a + b;
  });
  expect([sum(1, 2), sum(1, 2), sum(2, 1), sum(1, 2)]).toEqual([3, 3, 3, 3]);
  expect(computed).toBe(2);
});

test("links between the same two ends have places of their own", () => {
  const of = exchange("alltoall-torus-3x3");
  const link = (number: number, from: number, to: number) => ({ number, from, to, text: "" });
  const links = [link(4, 0, 1), link(5, 1, 0), link(7, 0, 1), link(9, 0, 1)];
  const network = { topology: "", grid: [], vertices: 9, links, ways: [] };
  expect([...parallelsOf({ ...of, network }, layoutOf(of))]).toEqual([
    [7, 1],
    [9, 2],
  ]);
});

test("of many lines the network shows a sample, unless they join neighbours", () => {
  const of = { ...exchange("alltoall-torus-3x3"), ranks: 256 };
  expect(sampleOf(of, 2000)).toBe(undefined);
  expect(sampleOf(of, 256 * 8)).toBe(undefined);
  expect(sampleOf(of, 256 * 255)).toEqual([0]);
  expect(sampleOf({ ...of, ranks: 64 }, 64 * 63)).toEqual([0]); // direct, 64 ranks: the messages of one rank
  expect(sampleOf({ ...of, ranks: 64 }, 64 * 34)).toEqual([0, 32]);
  expect(sampleOf({ ...of, ranks: 1024 }, 1024 * 4)).toBe(undefined);
  expect(sampleOf({ ...of, ranks: 1024 }, 1024 * 1023)).toEqual([0]);
});

test("the views agree on when the messages of a round begin", () => {
  for (const round of exchange("alltoall-bruck-8").rounds) {
    const part = localPart(round);
    expect(part).toBe(round.locals.length === 0 ? 0 : round.messages.length === 0 ? 1 : 0.25);
  }
});

// SPDX-License-Identifier: BSD-3-Clause
// What views compute without a canvas: layouts, phases of a round, steps of labels.
import { expect, test } from "vitest";
import { Replay } from "../src/model/replay";
import { light } from "../src/views/look";
import { memoryLayout, placeAt, yOf } from "../src/views/memory_layout";
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

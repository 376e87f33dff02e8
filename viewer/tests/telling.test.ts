// SPDX-License-Identifier: BSD-3-Clause
// What the page says of rounds and blocks, and the clock of two exchanges.
import { expect, test, vi } from "vitest";
import { readPage } from "../src/load/document";
import { clueOf } from "../src/model/clue";
import { simulated, machines } from "../src/model/machine";
import { OneClock, pacesOf } from "../src/model/one_clock";
import { sentenceOf } from "../src/model/sentence";
import { Replay } from "../src/model/replay";
import { colours, light, rgb } from "../src/views/look";
import { shown } from "../src/views/memory";
import { denseRaster } from "../src/views/memory_dense";
import { flightBox, memoryLayout } from "../src/views/memory_layout";
import { exchange } from "./schedules";
import { traceText } from "./trace";

test("a round without a sentence of its algorithm gets one from its messages", () => {
  const sentences = (name: string) => exchange(name).rounds.map((_, round) => sentenceOf(exchange(name), round));
  expect(sentences("alltoall-bruck-8")).toEqual([
    "8 messages of 4 blocks, each 1 rank on.",
    "8 messages of 4 blocks, each 2 ranks on.",
    "8 messages of 4 blocks, each 4 ranks on.",
  ]);
  expect(sentences("gather-binomial-6")[2]).toBe("1 message of 2 blocks, from rank 0 to rank 2.");
  expect(sentences("barrier-dissemination-6")[0]).toBe("6 messages without data, each 1 rank on.");
  expect(sentences("allreduce-ring-5")[4]).toBe("No messages: ranks 0-4 combine operands.");
});

test("the algorithm's own sentence is read from the document", () => {
  const document = JSON.parse(traceText);
  const says = (list: string[]) =>
    readPage(JSON.stringify({ ...document, rounds: { ...document.rounds, says: list } })).exchanges[0]!;
  expect(sentenceOf(says(["Both ranks swap"]), 0)).toBe("Both ranks swap.");
  expect(sentenceOf(says([""]), 0)).toBe("2 messages of 1 block, each 1 rank on.");
});

const cluesOf = (name: string) => {
  const of = exchange(name);
  const rule = clueOf(of)!;
  return (rank: number, origin: number, target: number, round: number) => {
    const clue = rule({ rank, origin, target }, of.rounds[round]);
    return clue && [clue.parts.map(({ text, current }) => (current ? `[${text}]` : text)).join(""), clue.sentence];
  };
};

test("a block of Bruck's algorithm shows the digits of its distance", () => {
  const clue = cluesOf("alltoall-bruck-8");
  expect(clue(2, 2, 7, 0)![0]).toBe("10[1]");
  expect(clue(2, 2, 7, 1)).toEqual([
    "1[0]1",
    "2→7 has to go 5 = 101 (base 2); this round handles digit 1 at place 1: its digit there is 0, so it rests",
  ]);
  expect(clue(3, 2, 7, 2)![1]).toMatch(/so it moves$/);
});

test("a block on a grid shows row and column, one in a tree the subtree", () => {
  expect(cluesOf("alltoall-torus-3x3")(0, 0, 5, 0)![0]).toBe("r1 c2");
  expect(cluesOf("gather-binomial-6")(0, 0, -1, 2)).toEqual(["[0-1]", "this round moves it from the subtree of rank 0: 0-1"]);
  expect(cluesOf("gather-binomial-6")(2, 0, -1, 2)).toBeUndefined();
  expect(cluesOf("broadcast-chain-5")(2, 2, -1, 0)![1]).toBe("this round moves it to the subtree of rank 3: 0-1,3-4");
  const scatter = cluesOf("scatter-binomial-6"); // rank 1 is the root
  expect(scatter(1, 1, 0, 0)![1]).toBe("this round moves it to the subtree of rank 5: 0,5");
  expect(clueOf(exchange("allreduce-ring-5"))).toBeUndefined();
});

test("on a simple machine a rank sends one message at a time and receives one at a time", () => {
  const of = exchange("alltoall-bruck-8");
  for (const machine of machines) {
    const clock = simulated(of, machine);
    expect(clock.end).toBe(3 * (machine.startup + 32 * machine.perByte)); // 3 rounds of 4 blocks of 8 B
    expect(Array.from(clock.receiveEnd)).toEqual(Array.from(clock.sendEnd));
  }
});

test("two exchanges are shown at the same time, and the later one ends last", () => {
  const two = [exchange("alltoall-bruck-8"), exchange("allgather-concatenation-7")];
  const paces = pacesOf(two);
  expect(paces.map(({ key }) => key)).toEqual(["rounds", "latency", "bandwidth"]);
  for (const pace of paces) {
    const clock = new OneClock(two, pace);
    expect(clock.positionOf(0, clock.rounds)).toBe(two[0]!.rounds.length);
    expect(clock.positionOf(1, clock.rounds)).toBe(two[1]!.rounds.length);
    expect(clock.positionOf(0, 0)).toBe(0);
    let before = 0;
    for (let position = 0; position <= clock.rounds; position += 0.125) {
      const at = clock.positionOf(1 - clock.leader, position);
      expect(at).toBeGreaterThanOrEqual(before);
      before = at;
      expect(clock.positionAt(clock.shareAt(position))).toBeCloseTo(position, 9);
    }
  }
  // 3 * (20 ns + 8 B, 16 B, 24 B at 10 ns) and 3 * (20 ns + 32 B)
  const clock = new OneClock(two, paces[2]!);
  expect(clock.verdict(["bruck", "concatenation"])).toMatch(/concatenation ends first, [\d.]+ times as fast$/);
  expect(clock.leader).toBe(0);
  // After 1.5 rounds of 340 ns the other one, whose rounds take 100, 180 and 260 ns, is in its last round.
  expect(clock.positionOf(1, 1.5)).toBeCloseTo(2 + 230 / 260, 9);
  expect(clock.leaderPosition(1, 2 + 230 / 260)).toBeCloseTo(1.5, 9);
});

test("a block on its way covers at most a quarter of a cell", () => {
  const cell = { x: 0, y: 0, width: 80, height: 20 };
  const there = { ...cell, x: 300, y: 100 };
  expect(flightBox(cell, there, 0)).toEqual(cell);
  expect(flightBox(cell, there, 1)).toEqual(there);
  for (const share of [0.2, 0.5, 0.8]) {
    const { width, height } = flightBox(cell, there, share);
    expect(width * height).toBeLessThanOrEqual((80 * 20) / 4);
  }
});

test.each([70, 38])("in a dense view of %d pixels resting blocks are seen beside or through moving ones", (width) => {
  vi.stubGlobal(
    "ImageData",
    class {
      readonly data: Uint8ClampedArray;
      constructor(width: number, height: number) {
        this.data = new Uint8ClampedArray(4 * width * height);
      }
    },
  );
  const of = exchange("alltoall-bruck-8");
  const still = {
    exchange: of,
    replay: new Replay(of),
    round: 1,
    position: 1,
    share: 0,
    selection: {},
    way: undefined,
    race: undefined,
  };
  const frame = { ...still, colourBy: "origin", sum: false, look: light, width, height: 110 } as const;
  const layout = memoryLayout(of, frame.width, frame.height);
  expect(layout.dense).toBe(true);
  const covered = (share: number): number => {
    const now = { ...shown({ ...frame, share: 0.5 }), share };
    const resting = denseRaster(frame, layout, { ...now, moves: [] }).pixels.slice();
    const moved = denseRaster(frame, layout, now).pixels;
    let hidden = 0;
    for (const left of layout.lefts)
      for (let y = layout.top; y < Math.floor(layout.bottom); ++y) {
        const from = Math.round(y) * frame.width + Math.ceil(left);
        const row = (of: Uint32Array) => [...of.subarray(from, from + Math.max(1, Math.floor(layout.column)))];
        const plain = colours(8).map((colour) => rgb(colour).join());
        const seen = row(moved).some(
          (pixel, i) =>
            pixel === row(resting)[i] || !plain.includes([pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255].join()),
        );
        if (!seen) ++hidden;
      }
    return hidden;
  };
  for (const share of [0.2, 0.35, 0.5, 0.8]) expect(covered(share)).toBe(0);
});

// SPDX-License-Identifier: BSD-3-Clause
// Figures, clocks, programs, comparisons, loads and places.
import { expect, test } from "vitest";
import { readPage } from "../src/load/document";
import { advanced, positionAt, roundTimes, timeAt } from "../src/model/clock";
import { firstDifference } from "../src/model/compare";
import { figures } from "../src/model/figures";
import { formatBytes, formatTime } from "../src/model/format";
import { layoutOf, linesOf, type Layout } from "../src/model/layout";
import { busiest, hopsOf, linkLoads } from "../src/model/loads";
import { program, regionsText } from "../src/model/program";
import { Replay } from "../src/model/replay";
import { exchange } from "./schedules";
import { layoutOfTrace, traceText } from "./trace";

const trace = () => readPage(traceText).exchanges[0]!;

// What 'quadrille verify' prints for the same schedules.
test.each([
  ["alltoall-bruck-5", { c1: 3, c2: 40, ports: 1, startups: 3, trafficOut: 40, trafficIn: 40, scratch: 0 }],
  ["alltoall-bruck-8", { c1: 3, c2: 96, ports: 1, startups: 3, trafficOut: 96, trafficIn: 96, scratch: 0 }],
  ["alltoall-bruck-classical-6", { c1: 2, c2: 40, ports: 2, startups: 3, trafficOut: 56, trafficIn: 56, scratch: 48 }],
  ["barrier-dissemination-6", { c1: 3, c2: 0, ports: 1, startups: 3, trafficOut: 0, trafficIn: 0, scratch: 0 }],
])("figures of %s", (name, expected) => expect(figures(exchange(name))).toMatchObject(expected));

test("a program is the text form of the schedule", () => {
  expect(
    program(exchange("alltoall-bruck-8"), 2)
      .filter((line) => line.round === 2)
      .map((line) => line.text),
  ).toEqual(["send to 6 input[48:8] output[24:24]", "receive from 6 output[48:8] output[24:24]"]);
  const ports = program(exchange("alltoall-torus-3x3"), 0).filter((line) => line.message !== undefined);
  expect(ports.length).toBeGreaterThan(0);
  for (const line of ports) expect(line.text).toMatch(/^(send to|receive from) \d port [01] [+-]1 scratch\[/);
  const of = trace();
  const [first, second] = of.messages.map((message, i) => ({ ...message, from: i % 2, to: 2, receivePlace: 1 - (i % 2) }));
  const rounds = [{ ...of.rounds[0]!, locals: [], messages: [first!, second!] }];
  expect(program({ ...of, rounds }, 2).map((line) => line.text.slice(0, 14))).toEqual(["receive from 1", "receive from 0"]);
  const strided = [8, 24, 40].map((offset) => ({ buffer: 0 as const, offset, bytes: 8 }));
  expect(regionsText(strided)).toBe("input[8:8 *3/16]");
  expect(regionsText([{ buffer: 2, offset: 8, bytes: 4 }])).toBe("scratch[8:4]");
  expect(regionsText([])).toBe("");
});

test("a trace", () => {
  const of = trace();
  expect(of.messages[0]!.read).toEqual([
    { buffer: 0, offset: 8, bytes: 4 },
    { buffer: 0, offset: 12, bytes: 4 },
  ]);
  expect(of.clocks.map((clock) => clock.kind)).toEqual(["logical", "executed"]);
  expect(new Replay(of).faults()).toEqual([]);
  expect(hopsOf(of, of.messages[1]!)).toEqual([{ from: 1, to: 0, link: 9 }]);
  expect(hopsOf({ ...of, network: undefined }, of.messages[1]!)).toEqual([{ from: 1, to: 0, link: undefined }]);
  expect(busiest(linkLoads(of, 0, 0))).toMatchObject({ bytes: 8, sharing: 1 });
  expect(of.bounds).toEqual([{ figure: "c1", value: 1, source: "bruck1997" }]);
});

test("positions and times belong together", () => {
  const of = trace();
  const times = roundTimes(of, of.clocks[1]!);
  expect([...times]).toEqual([0, 900]);
  expect(timeAt(times, 0.5)).toBe(450);
  expect(positionAt(times, 450)).toBe(0.5);
  const torus = exchange("alltoall-torus-3x3"); // begins with a round of copies
  expect([...roundTimes(torus, torus.clocks[0]!)]).toEqual(Array.from({ length: torus.rounds.length + 1 }, (_, round) => round));
  const logical = roundTimes(exchange("alltoall-bruck-8"), exchange("alltoall-bruck-8").clocks[0]!);
  for (const position of [0, 0.25, 1, 2.5, 3]) {
    expect(timeAt(logical, position)).toBe(position);
    expect(positionAt(logical, position)).toBe(position);
  }
});

test("playing by a clock takes each round as long as it takes, and reaches the end", () => {
  const times = Float64Array.from([0, 10, 10, 40, 40]); // the second and the last round take no time
  let position = 0;
  const seen: number[] = [];
  for (let i = 0; i < 41; ++i) seen.push((position = advanced(times, position, 0.1))); // a step is 1 of 40
  expect(seen[4]).toBeCloseTo(0.5);
  expect(seen[9]).toBeGreaterThanOrEqual(1);
  expect(seen[24]).toBeCloseTo(2.5);
  expect(position).toBe(4);
  expect(advanced(Float64Array.from([0, 0]), 0.25, 0.5)).toBe(0.75);
});

test("the first difference of two schedules", () => {
  const [bruck, direct] = [exchange("alltoall-bruck-8"), exchange("alltoall-bruck-5")];
  expect(firstDifference(bruck, bruck)).toBeUndefined();
  expect(firstDifference(bruck, direct)!.text).toMatch(/numbers of ranks/);
  for (const changed of bruck.rounds) {
    const rounds = bruck.rounds.map((round) => (round === changed ? { ...round, messages: round.messages.slice(1) } : round));
    expect(firstDifference(bruck, { ...bruck, rounds })).toMatchObject({
      round: changed.number,
      text: expect.stringMatching(/^1 messages/),
    });
  }
});

test("without a layout no two ranks have one place", () => {
  for (const name of ["alltoall-torus-3x3", "alltoall-bruck-8"]) {
    const of = exchange(name);
    const { places, width, height, radius, names } = layoutOf(of);
    expect(places.length).toBe(of.ranks);
    expect(names).toEqual(places.map((_, i) => `${i}`));
    for (const { x, y } of places) {
      expect(x).toBeGreaterThanOrEqual(radius);
      expect(y).toBeGreaterThanOrEqual(radius);
      expect(x).toBeLessThanOrEqual(width - radius);
      expect(y).toBeLessThanOrEqual(height - radius);
    }
    for (let i = 0; i < places.length; ++i)
      for (let j = 0; j < i; ++j)
        expect(Math.hypot(places[i]!.x - places[j]!.x, places[i]!.y - places[j]!.y)).toBeGreaterThan(2 * radius);
  }
});

test("without a network a line to a neighbour is straight, and one to another rank goes around on the right", () => {
  const places = [0, 38, 76, 114].map((x) => ({ x, y: 50 }));
  const layout: Layout = { width: 114, height: 100, radius: 11, stub: 26, places, names: [], parts: [], stubs: new Map() };
  expect(linesOf(layout, 0, 1, undefined)).toEqual([[places[0], places[1]]]);
  for (const [from, to, below] of [
    [0, 3, 1],
    [3, 0, -1],
  ] as const) {
    const lines = linesOf(layout, from, to, undefined);
    expect(lines[0]![0]).toEqual(places[from]);
    expect(lines.at(-1)![1]).toEqual(places[to]);
    lines.slice(1).forEach(([begin], i) => {
      expect(begin).toEqual(lines[i]![1]);
      expect(below * (begin.y - 50)).toBeGreaterThan(0);
    });
  }
});

test("a link is a line from end to end, or leaves and comes back from the other side", () => {
  const { layout } = readPage(
    JSON.stringify({ format: "quadrille-page/1", layouts: [layoutOfTrace], documents: [JSON.parse(traceText)] }),
  ).exchanges[0]!;
  expect(linesOf(layout!, 0, 1, 5)).toEqual([[layout!.places[0], layout!.places[1]]]);
  expect(linesOf(layout!, 1, 0, 9)).toEqual([
    [
      { x: 110, y: 11 },
      { x: 147, y: 11 },
    ],
    [
      { x: -26, y: 11 },
      { x: 11, y: 11 },
    ],
  ]);
});

test("units", () => {
  expect([0, 1023, 1024, 1536, 2 ** 30].map(formatBytes)).toEqual(["0 B", "1023 B", "1 KiB", "1.5 KiB", "1 GiB"]);
  expect(formatTime(1_234_000, "ps")).toBe("1.23 µs");
  expect(formatTime(900, "ns")).toBe("900 ns");
});

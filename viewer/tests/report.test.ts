// SPDX-License-Identifier: BSD-3-Clause
// Reports: races, tuning and runs of programs.
import { expect, test } from "vitest";
import { readPage } from "../src/load/document";
import { formatBytes } from "../src/model/format";
import { apart } from "../src/report/curves";
import { date } from "../src/report/parts";
import { commonLabel, conclusion, fastest, label, names, reason } from "../src/report/race";
import { heading } from "../src/report/races_page";
import { ranksOf } from "../src/report/timeline";

const entry = (name: string, median: number, c1: number, c2: number) => ({
  algorithm: `${name}:all=1`,
  short_name: name,
  policy: "blocking",
  executor: "shared",
  c1,
  c2,
  median_s: median,
  lower_s: 0.9 * median,
  upper_s: 1.1 * median,
  distribute_s: 0,
  communicate_s: median,
  collect_s: 0,
  predicted_s: null,
  to_best: { median: median / 1e-6, lower: (0.9 * median) / 1e-6, upper: (1.1 * median) / 1e-6 },
});

const race = (ranks: number) => ({
  collective: "alltoall",
  ranks,
  sizes: [
    {
      block_bytes: 1024,
      entries: [entry("bruck", 3e-6, 2, 4096), entry("direct", 1e-6, 1, 1024)],
      left_out: [{ algorithm: "xor", reason: "not a power of two" }],
    },
    { block_bytes: 8, entries: [entry("direct", 1.05e-6, 1, 8), entry("bruck", 1e-6, 2, 32), entry("ring", 4e-6, 3, 48)] },
  ],
});

test("a race", () => {
  const [read] = readPage(JSON.stringify(race(4))).races;
  expect(read!.sizes.map((size) => size.bytes)).toEqual([8, 1024]);
  expect(read!.sizes[0]!.candidates.map((candidate) => candidate.name)).toEqual(["bruck", "direct", "ring"]);
  const [bruck, direct, ring] = read!.sizes[0]!.candidates;
  expect(reason(bruck!, bruck!, formatBytes)).toBe("the fastest");
  expect(reason(direct!, bruck!, formatBytes)).toMatch(/intervals meet/);
  expect(reason(ring!, bruck!, formatBytes)).toBe("more rounds, 3 against 2; more volume, 48 B against 32 B");
  expect(read!.sizes[1]!.leftOut).toEqual([{ name: "xor", reason: "not a power of two" }]);
});

test("algorithms with equal schedules stand with the one that was raced", () => {
  const document = race(4);
  Object.assign(document.sizes[0]!.entries[0]!, { same_as_short_names: ["hypercube"], same_as: ["hypercube:all=1"] });
  Object.assign(document.sizes[1]!.entries[1]!, { same_as_short_names: ["hypercube", "bine"] });
  const [read] = readPage(JSON.stringify(document)).races;
  const of = (size: number) => label(read!.sizes[size]!.candidates.find(({ name }) => name === "bruck")!);
  expect([of(0), of(1)]).toEqual(["bruck = hypercube = bine", "bruck = hypercube"]);
  expect(commonLabel(read!, "bruck")).toBe("bruck = hypercube");
  expect(commonLabel(read!, "direct")).toBe("direct");
  const many = { ...read!.sizes[0]!.candidates[0]!, name: "bruck, dataflow", sameAs: ["a", "b", "c", "d"] };
  expect(label(many)).toBe("bruck = a = b and 2 more, dataflow");
});

test("what cannot be told apart is tied, also if the results do not say so", () => {
  const [read] = readPage(JSON.stringify(race(4))).races;
  expect(read!.sizes.map(conclusion)).toEqual(["tied", "fastest"]);
  expect(conclusion({ ...read!.sizes[0]!, conclusion: "noisy" })).toBe("noisy");
});

test("a race says where, when, on what and by which command it was run", () => {
  const facts = {
    transport: "threads",
    nodes: 1,
    host: "alpha",
    version: "1.2.3",
    machine: { model: "A processor", cores: 4, threads: 8 },
    start_unix_s: 1_700_000_000,
    command: "quadrille race alltoall --json",
  };
  const [said, unsaid] = [{ ...race(4), ...facts }, race(4)].map((document) => readPage(JSON.stringify(document)).races[0]!);
  expect(said!.about).toEqual({
    where: "on threads, 1 node, alpha, quadrille 1.2.3",
    machine: "A processor, 4 cores, 8 hardware threads",
    start: 1_700_000_000,
    command: "quadrille race alltoall --json",
  });
  expect(date(said!.about.start!)).toBe("2023-11-14 22:13 UTC");
  expect(unsaid!.about).toEqual({ where: "", machine: "not said", start: undefined, command: undefined });
});

test("the heading names collectives and ranks", () => {
  const of = (...documents: object[]) => heading(readPage(JSON.stringify(documents)).races);
  expect(of(race(4))).toBe("alltoall on 4 ranks");
  expect(of(race(8), race(2), race(4))).toBe("alltoall on 2, 4 and 8 ranks");
  expect(of(race(4), { ...race(4), collective: "scan" })).toBe("alltoall and scan on 4 ranks");
});

test("who delivers wrong data does not win", () => {
  const document = race(4);
  Object.assign(document.sizes[0]!.entries[1]!, { checked: false });
  const size = readPage(JSON.stringify(document)).races[0]!.sizes[1]!;
  expect(fastest(size)!.name).toBe("bruck");
  expect(size.candidates.map((candidate) => candidate.name)).toEqual(["bruck", "direct"]);
  expect(reason(size.candidates[1]!, fastest(size)!, formatBytes)).toBe("its data was wrong");
});

test("names of curves stand apart, and above the lower end where there is room", () => {
  expect(apart([10, 100], 200)).toEqual([10, 100]);
  expect(apart([100, 100, 101], 200)).toEqual([100, 114, 128]);
  expect(apart([190, 195, 20], 200)).toEqual([186, 200, 20]);
  for (const heights of [[5], [199, 198, 197, 3], [50, 50, 50, 50, 50]]) {
    const placed = [...apart(heights, 200)].sort((a, b) => a - b);
    expect(placed.at(-1)!).toBeLessThanOrEqual(200);
    for (let i = 1; i < placed.length; ++i) expect(placed[i]! - placed[i - 1]!).toBeGreaterThanOrEqual(14);
  }
});

test("several races, also as documents of a page", () => {
  const documents = [race(2), race(4), race(8)];
  expect(readPage(JSON.stringify(documents)).races.map((read) => read.ranks)).toEqual([2, 4, 8]);
  expect(names(readPage(JSON.stringify({ format: "quadrille-page/1", documents })).races)).toHaveLength(3);
});

test("a session of tune becomes a race for each collective", () => {
  const way = { algorithm: "direct", policy: "blocking", executor: "shared", median_s: 1e-6, lower_s: 1e-6, upper_s: 1e-6 };
  const cell = (collective: string, block_bytes: number, ways: object[]) => ({ collective, shape: "", block_bytes, ways });
  const session = {
    ranks: 4,
    collectives: [],
    cells: [cell("alltoall", 8, [way]), cell("alltoall", 64, [way]), cell("broadcast", 8, [way]), cell("scan", 8, [])],
  };
  expect(readPage(JSON.stringify(session)).races.map((read) => [read.title, read.sizes.length])).toEqual([
    ["alltoall, 4 ranks", 2],
    ["broadcast, 4 ranks", 1],
  ]);
});

const run = {
  format: "quadrille-report",
  program: "./app",
  mpi: "MPICH",
  world_size: 2,
  seconds: 10,
  share: 0.5,
  communicators: [{ name: "MPI_COMM_WORLD" }],
  ranks: [0, 1].map((rank) => ({ rank, host: "a", state: "ended", seconds: 10, collective_seconds: 5 - rank })),
  balance: { late_s: 1 },
  rows: [1, 2].map((rank_seconds) => ({
    collective: "Alltoall",
    communicator: 0,
    least_block_bytes: 64,
    most_block_bytes: 64,
    calls: 3,
    ours_calls: 1,
    rank_seconds,
    most_seconds: 1,
    share: 0.1,
    late: null,
    vendor: { median_s: 2e-3, samples: 3 },
    ours: null,
    what: "direct",
    why: "measured",
    passed: [],
  })),
  traffic_bytes: [
    [0, 1],
    [2, 0],
  ],
};

test("the report of a run", () => {
  const read = readPage(JSON.stringify(run)).run!;
  expect(read.rows.map((row) => row.seconds)).toEqual([2, 1]);
  expect(read.rows[0]).toMatchObject({
    name: "Alltoall, 64 B, MPI_COMM_WORLD",
    vendorSeconds: 2e-3,
    ourSeconds: undefined,
    text: "direct: measured",
  });
  expect(read.costliest).toEqual([]);
  expect(() => readPage(JSON.stringify({ ...run, traffic_bytes: [[0, 1]] }))).toThrow(/2 rows of 2 numbers/);
});

test("the costliest calls of a run", () => {
  const call = (rank: number, begin_s: number) => ({
    rank,
    begin_s,
    seconds: 0.5,
    collective: "Alltoall",
    communicator: 0,
    by_ours: rank === 0,
  });
  const costliest_calls = [
    { ...call(1, 2), sent_bytes: 2048 },
    { ...call(0, 3), block_bytes: null },
    { ...call(1, 1), block_bytes: 64 },
  ];
  const { costliest } = readPage(JSON.stringify({ ...run, costliest_calls })).run!;
  expect(costliest.map(({ rank, begin, name, by }) => [rank, begin, name, by])).toEqual([
    [0, 3, "Alltoall, MPI_COMM_WORLD", "Quadrille"],
    [1, 1, "Alltoall, 64 B, MPI_COMM_WORLD", "the MPI library"],
    [1, 2, "Alltoall, 2 KiB, MPI_COMM_WORLD", "the MPI library"],
  ]);
  expect(ranksOf(costliest)).toEqual([0, 1]);
});

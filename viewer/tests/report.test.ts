// SPDX-License-Identifier: BSD-3-Clause
// Reports: races, tuning and runs of programs.
import { expect, test } from "vitest";
import { readPage } from "../src/load/document";
import { formatBytes } from "../src/model/format";
import { names, reason } from "../src/report/race";

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
  expect(() => readPage(JSON.stringify({ ...run, traffic_bytes: [[0, 1]] }))).toThrow(/2 rows of 2 numbers/);
});

// SPDX-License-Identifier: BSD-3-Clause
// The keys that schedules and traces share: the problem, and where its ranks are.
import { Reader, Refusal } from "./reader";

// The page draws every rank, so more would not be readable.
export const mostRanks = 1024;
// Contiguous regions of all messages; more do not fit in the memory of a page.
export const mostRegions = 1 << 23;
export const mostRounds = 1 << 17;

export const collectives = new Set([
  "alltoall",
  "alltoallv",
  "allgather",
  "allgatherv",
  "broadcast",
  "reduce",
  "allreduce",
  "reduce_scatter",
  "reduce_scatterv",
  "scan",
  "exscan",
  "scatter",
  "scatterv",
  "gather",
  "gatherv",
  "barrier",
]);

export interface ProblemKeys {
  collective: string;
  algorithm: string;
  parameters: Map<string, string>;
  ranks: number;
  blockBytes?: number;
  counts?: number[] | number[][];
  sharedBlocks: boolean;
  elementBytes: number;
  root: number;
  nodes?: number[];
  grid?: number[];
  buffers: [number[], number[], number[]];
}

// How a list of numbers is written: plain, or in one of the forms of a trace.
export type ReadList = (reader: Reader, least: number, count: number) => number[];

function counts(reader: Reader, collective: string, ranks: number, list: ReadList): number[] | number[][] {
  if (collective !== "alltoallv") return list(reader, 0, ranks);
  const rows = reader.list();
  if (rows.length !== ranks) reader.refuse(`must have ${ranks} rows`);
  return rows.map((row) => list(row, 0, ranks));
}

function parameter(reader: Reader): string {
  const value = reader.value;
  if (typeof value === "object" && value !== null) reader.refuse("must be a number or a word");
  return String(value);
}

export function readProblem(document: Reader, list: ReadList): ProblemKeys {
  const collective = document.at("collective").text();
  if (!collectives.has(collective)) throw new Refusal(`"${collective.slice(0, 40)}" is not a collective that this page knows.`);
  const ranks = document.at("ranks").whole(1);
  if (ranks > mostRanks) throw new Refusal(`${document.place} has ${ranks} ranks; this page shows at most ${mostRanks}.`);
  const buffers = document.at("buffers");
  const sizes = (name: string) => buffers.optional(name, (reader) => list(reader, 0, ranks));
  const none = () => new Array<number>(ranks).fill(0);
  return {
    collective,
    algorithm: document.optional("algorithm", (reader) => reader.text()) ?? "",
    parameters: new Map(
      document.optional("parameters", (all) => all.keys().map((key) => [key, parameter(all.at(key))] as const)) ?? [],
    ),
    ranks,
    blockBytes: document.optional("block_bytes", (reader) => reader.whole()),
    counts: document.optional("counts", (reader) => counts(reader, collective, ranks, list)),
    sharedBlocks: document.optional("shared_blocks", (reader) => reader.value === true) ?? false,
    elementBytes: document.optional("element_bytes", (reader) => reader.whole(1)) ?? 1,
    root: document.optional("root", (reader) => reader.whole(0, ranks - 1)) ?? 0,
    nodes: document.optional("nodes", (reader) => list(reader, 0, ranks)),
    grid: document.optional("grid", (reader) => reader.wholes(1)),
    buffers: [sizes("input") ?? none(), sizes("output") ?? none(), sizes("scratch") ?? none()],
  };
}

// Checks what needs several keys, so that nothing later meets a missing size.
export function checkProblem(problem: ProblemKeys, place: string): void {
  const needsCounts = problem.collective.endsWith("v");
  if (needsCounts && !problem.counts) throw new Refusal(`${place} has no "counts".`);
  if (!needsCounts && problem.collective !== "barrier" && problem.blockBytes === undefined)
    throw new Refusal(`${place} has no "block_bytes".`);
  if (problem.grid && problem.grid.reduce((a, b) => a * b, 1) !== problem.ranks)
    throw new Refusal(`"grid" of ${place} has another number of places than there are ranks.`);
}

// SPDX-License-Identifier: BSD-3-Clause
// The language of the editor: a JavaScript generator that says what one rank does. It runs in a worker (worker.ts); this file makes
// the text form of the schedule (docs/schedule-format.md) from what the worker lists.

// A place: first block and number of blocks. In vectors a block is a share: there are as many as ranks.
export type BlockPlace = readonly [buffer: "input" | "output" | "scratch", first: number, count: number];
export type ListedOperation =
  | readonly ["send" | "receive", peer: number, places: readonly BlockPlace[]]
  | readonly ["copy", source: readonly BlockPlace[], target: readonly BlockPlace[]]
  | readonly ["reduce", source: readonly BlockPlace[], target: readonly BlockPlace[], order: string];
export type ListedRounds = readonly (readonly ListedOperation[])[];

// A program can send the page anything, so what it lists is checked: it must be the programs of as many ranks as were asked for.
const isWhole = (value: unknown): boolean => Number.isSafeInteger(value);
const isPlace = (place: unknown): boolean =>
  Array.isArray(place) && ["input", "output", "scratch"].includes(place[0]) && isWhole(place[1]) && isWhole(place[2]);
const isOperation = (operation: unknown): boolean => {
  if (!Array.isArray(operation)) return false;
  const [kind, one, two, order] = operation as unknown[];
  const arePlaces = (list: unknown): boolean => Array.isArray(list) && list.every(isPlace);
  if (kind === "send" || kind === "receive") return isWhole(one) && arePlaces(two);
  const isCopy = kind === "copy" || (kind === "reduce" && (order === "source-first" || order === "target-first"));
  return isCopy && arePlaces(one) && arePlaces(two);
};
const isProgram = (program: unknown): boolean =>
  Array.isArray(program) && program.every((round) => Array.isArray(round) && round.every(isOperation));
export const areListed = (programs: unknown, ranks: number): programs is readonly ListedRounds[] =>
  Array.isArray(programs) && programs.length === ranks && programs.every(isProgram);

// What the page knows of the collectives that it offers. Others can be written in the text form.
interface Offer {
  readonly vector?: true; // the block of the problem is a vector of one block for each rank
  readonly rooted?: true;
  readonly reduces?: true;
}
export const offers: Readonly<Record<string, Offer>> = {
  alltoall: {},
  allgather: {},
  broadcast: { vector: true, rooted: true },
  scatter: { rooted: true },
  gather: { rooted: true },
  reduce: { vector: true, rooted: true, reduces: true },
  allreduce: { vector: true, reduces: true },
  reduce_scatter: { reduces: true },
  scan: { vector: true, reduces: true },
};
const elementBytes = 8;

export interface WrittenProblem {
  readonly collective: string;
  readonly block: number; // bytes
}

export const isDocument = (text: string): boolean => /^\s*(quadrille-schedule-text\/1|[{[])/.test(text);

// Returns the text form of the schedule whose rank r does what `programs[r]` lists.
export function documentOf(problem: WrittenProblem, programs: readonly ListedRounds[]): string {
  const { collective, block } = problem;
  const ranks = programs.length;
  const offer = offers[collective]!;
  const region = ([buffer, first, count]: BlockPlace): string => `${buffer}[${first * block}:${count * block}]`;
  const regions = (places: readonly BlockPlace[]): string => places.map(region).join(" ");
  const line = (operation: ListedOperation): string => {
    const [kind, one, two] = operation;
    if (kind === "send") return `send to ${one} ${regions(two)}`;
    if (kind === "receive") return `receive from ${one} ${regions(two)}`;
    return `${kind}${kind === "reduce" ? ` ${operation[3]}` : ""} ${regions(one as readonly BlockPlace[])} -> ${regions(two)}`;
  };
  const rounds = Math.max(0, ...programs.map((program) => program.length));
  const lines = [
    "quadrille-schedule-text/1",
    `collective ${collective}`,
    "algorithm yours",
    `ranks ${ranks}`,
    `block_bytes ${offer.vector ? block * ranks : block}`,
    ...(offer.rooted ? ["root 0"] : []),
    ...(offer.reduces ? [`element_bytes ${elementBytes}`, "commutative true"] : []),
    `stage yours first 0 rounds ${rounds}`,
  ];
  programs.forEach((program, rank) => {
    let scratch = 0;
    for (const operation of program.flat())
      for (const part of operation.slice(1))
        if (Array.isArray(part))
          for (const [buffer, first, count] of part as BlockPlace[])
            if (buffer === "scratch") scratch = Math.max(scratch, (first + count) * block);
    lines.push("", `rank ${rank} scratch ${scratch}`);
    program.forEach((operations, round) => {
      if (operations.length) lines.push(`round ${round}`, ...operations.map((operation) => `  ${line(operation)}`));
    });
  });
  return lines.join("\n") + "\n";
}

// Before the reader's lines, in the worker. All that the reader may call is here.
const head = `"use strict";
let listed = [], round = 0;
const whole = (value, what) => {
  if (!Number.isSafeInteger(value)) throw new Error(what + " is " + value + ", and must be a whole number");
  return value;
};
const buffer = (name) => (first = 0, count = 1) => [name, whole(first, "the first block of " + name), whole(count, "the number of blocks of " + name)];
const input = buffer("input"), output = buffer("output"), scratch = buffer("scratch");
const places = (list) => {
  if (!Array.isArray(list)) throw new Error("A place is missing: write input(..), output(..) or scratch(..)");
  return typeof list[0] === "string" ? [list] : list;
};
const send = (to, ...list) => void listed.push(["send", whole(to, "the receiver"), list.flatMap(places)]);
const receive = (from, ...list) => void listed.push(["receive", whole(from, "the sender"), list.flatMap(places)]);
const copy = (source, target) => void listed.push(["copy", places(source), places(target)]);
const reduce = (source, target, order = "source-first") => {
  if (order !== "source-first" && order !== "target-first") throw new Error("The order is neither source-first nor target-first");
  listed.push(["reduce", places(source), places(target), order]);
};
const mod = (value, by) => ((value % by) + by) % by;
function* program(rank, ranks) {
`;
export const linesBefore = head.split("\n").length - 1;
const tail = `
}
// An error that is thrown above, for the reader, belongs to the reader's line that led there.
const placed = (error) => {
  const lines = [...String(error?.stack).matchAll(/:(\\d+):\\d+/g)].map(([, line]) => line - ${linesBefore});
  const line = lines.find((line) => line >= 1);
  return line ? new Error("Line " + line + ": " + (error.message ?? error)) : error;
};
onmessage = ({ data }) => {
  for (const ranks of data) {
    const programs = [];
    for (let rank = 0; rank < ranks; ++rank) {
      const rounds = [];
      listed = []; round = 0;
      try {
        for (const _ of program(rank, ranks)) {
          rounds.push(listed);
          listed = []; ++round;
        }
      } catch (error) {
        throw placed(error);
      }
      if (listed.length) rounds.push(listed);
      programs.push(rounds);
    }
    postMessage({ programs });
  }
};
`;
export const generatorScript = (text: string): string => head + text + tail;

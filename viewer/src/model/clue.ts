// SPDX-License-Identifier: BSD-3-Clause
// What decides the way of a block: the digits of its distance, the row and the column of its target, or the subtree of a rank.
import type { Exchange, Message, Round } from "./exchange";
import { rangesText } from "./format";

export interface CluePart {
  readonly text: string;
  readonly current: boolean; // what this round decides
}

export interface Clue {
  readonly parts: readonly CluePart[];
  readonly sentence: string;
}

// A block that lies at a rank. The target is -1 if there are several.
export interface LyingBlock {
  readonly rank: number;
  readonly origin: number;
  readonly target: number;
}

export type ClueOf = (block: LyingBlock, round: Round | undefined) => Clue | undefined;

// How far a block has to go, as a number whose digits decide: for Bruck's algorithms the distance in ranks, on a hypercube the bits in
// which the two numbers differ.
const distances = new Map<string, (exchange: Exchange, from: number, to: number) => number>(
  (["bruck", "two-phase-bruck", "padded-bruck"] as const).map((name) => [
    name,
    ({ ranks }: Exchange, from: number, to: number) => (to - from + ranks) % ranks,
  ]),
).set("hypercube", (_, from, to) => from ^ to);

function byDigits(exchange: Exchange): ClueOf | undefined {
  const distance = distances.get(exchange.algorithm);
  if (!distance || (exchange.parameters.get("level") ?? "positional") !== "positional") return undefined;
  const radix = Number(exchange.parameters.get("radix") ?? 2);
  const digits = (value: number): number[] => (value < radix ? [value] : [...digits(Math.floor(value / radix)), value % radix]);
  const count = digits(exchange.ranks - 1).length;
  return ({ origin, target }, round) => {
    if (target < 0) return undefined;
    const value = distance(exchange, origin, target);
    const all = digits(value);
    const padded = [...new Array<number>(count - all.length).fill(0), ...all];
    const [message] = round?.messages ?? [];
    const hop = message ? digits(distance(exchange, message.from, message.to)) : [];
    const place = hop.length - 1;
    const digit = padded[count - 1 - place];
    const text = padded.join(radix > 10 ? "," : "");
    const moves = digit === hop[0] ? "so it moves" : "so it rests";
    return {
      parts: padded.map((each, i) => ({ text: `${each}`, current: count - 1 - i === place })),
      sentence:
        `${origin}→${target} has to go ${value}${count > 1 ? ` = ${text} (base ${radix})` : ""}` +
        (message ? `; this round handles digit ${hop[0]} at place ${place}: its digit there is ${digit}, ${moves}` : ""),
    };
  };
}

// The columns of the grid on which an algorithm works, or undefined.
function columnsOf({ algorithm, parameters, grid, ranks }: Exchange): number | undefined {
  if (parameters.has("columns")) return Number(parameters.get("columns"));
  if (parameters.has("rows")) return ranks / Number(parameters.get("rows"));
  return /torus|mesh/.test(algorithm) && grid?.length === 2 ? grid[1] : undefined;
}

function byGrid(exchange: Exchange): ClueOf | undefined {
  const columns = columnsOf(exchange);
  if (!columns || columns < 2 || columns >= exchange.ranks || !Number.isInteger(columns)) return undefined;
  const row = (rank: number) => Math.floor(rank / columns);
  const along = (round: Round | undefined, same: (message: Message) => boolean) =>
    !!round?.messages.length && round.messages.every(same);
  return ({ target }, round) => {
    if (target < 0) return undefined;
    const inRows = along(round, ({ from, to }) => row(from) === row(to));
    const inColumns = along(round, ({ from, to }) => from % columns === to % columns);
    const way = inRows ? "; messages move along rows" : inColumns ? "; messages move along columns" : "";
    return {
      parts: [
        { text: `r${row(target)}`, current: inColumns },
        { text: ` c${target % columns}`, current: inRows },
      ],
      sentence: `rank ${target} is in row ${row(target)}, column ${target % columns}${way}`,
    };
  };
}

const downwards = new Set(["broadcast", "scatter", "scatterv"]);
const upwards = new Set(["reduce", "gather", "gatherv"]);

// In a tree every rank but the root receives from (or sends to) one rank only.
function bySubtree(exchange: Exchange): ClueOf | undefined {
  const down = downwards.has(exchange.collective);
  if (!down && !upwards.has(exchange.collective)) return undefined;
  const parents = new Map<number, number>();
  for (const { from, to } of exchange.messages) {
    const [child, parent] = down ? [to, from] : [from, to];
    if ((parents.get(child) ?? parent) !== parent || child === exchange.root) return undefined;
    parents.set(child, parent);
  }
  const subtrees = new Map<number, number[]>();
  for (let rank = 0; rank < exchange.ranks; ++rank)
    for (let at: number | undefined = rank, left = exchange.ranks; at !== undefined && left > 0; at = parents.get(at), --left)
      subtrees.set(at, [...(subtrees.get(at) ?? []), rank]);
  return ({ rank, target }, round) => {
    const leaving = (round?.messages ?? []).filter(
      ({ from, to }) => from === rank && (!down || target < 0 || subtrees.get(to)!.includes(target)),
    );
    if (leaving.length === 0) return undefined;
    const tops = down ? leaving.map(({ to }) => to) : [rank];
    const ranks = rangesText(
      tops.flatMap((top) => subtrees.get(top)!),
      exchange.ranks,
    );
    const of = tops.length > 1 ? `the subtrees of ranks ${rangesText(tops, exchange.ranks)}` : `the subtree of rank ${tops[0]}`;
    return {
      parts: [{ text: ranks, current: true }],
      sentence: `this round moves it ${down ? "to" : "from"} ${of}: ${ranks}`,
    };
  };
}

// Returns how to tell what decides the way of a block in a round, or undefined if the algorithm has no such rule.
export const clueOf = (exchange: Exchange): ClueOf | undefined => byDigits(exchange) ?? byGrid(exchange) ?? bySubtree(exchange);

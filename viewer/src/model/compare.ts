// SPDX-License-Identifier: BSD-3-Clause
// The first round in which two exchanges differ, and in what.
import type { Exchange, Region, Round } from "./exchange";

export interface Difference {
  readonly round: number;
  readonly text: string;
}

const regionsKey = (regions: readonly Region[]): string => regions.map((r) => `${r.buffer}:${r.offset}:${r.bytes}`).join(" ");

const messageKeys = (round: Round | undefined): Set<string> =>
  new Set(round?.messages.map((m) => `${m.from} to ${m.to}, ${m.bytes} B|${regionsKey(m.read)}|${regionsKey(m.write)}`) ?? []);

const localKeys = (round: Round | undefined): Set<string> =>
  new Set(round?.locals.map((l) => `rank ${l.rank}|${l.operation} ${regionsKey(l.source)}|${regionsKey(l.target)}`) ?? []);

const only = (a: Set<string>, b: Set<string>): string[] => [...a].filter((key) => !b.has(key));

export function firstDifference(left: Exchange, right: Exchange): Difference | undefined {
  if (left.ranks !== right.ranks) return { round: 0, text: `the numbers of ranks differ: ${left.ranks} and ${right.ranks}` };
  for (let round = 0; round < Math.max(left.rounds.length, right.rounds.length); ++round) {
    const [a, b] = [left.rounds[round], right.rounds[round]];
    for (const [keys, what] of [
      [messageKeys, "message"],
      [localKeys, "local operation"],
    ] as const) {
      const [inLeft, inRight] = [only(keys(a), keys(b)), only(keys(b), keys(a))];
      const example = inLeft[0] ?? inRight[0];
      if (example === undefined) continue;
      const side = inLeft[0] === undefined ? "right" : "left";
      return {
        round,
        text: `${inLeft.length} ${what}s are only in the left one, ${inRight.length} only in the right one; such as ${example.split("|")[0]} (${side})`,
      };
    }
  }
  return undefined;
}

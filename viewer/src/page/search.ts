// SPDX-License-Identifier: BSD-3-Clause
// Search: "5" or "rank 5", "round 3", "2>7" (the block from 2 to 7), or a part of a stage's name.
import type { Exchange } from "../model/exchange";
import type { Replay } from "../model/replay";
import type { State } from "./state";

export function find(text: string, exchange: Exchange, replay: Replay): Partial<State> | string {
  const query = text.trim().toLowerCase();
  const rank = /^(?:rank\s*)?(\d+)$/.exec(query);
  const round = /^round\s*(\d+)$/.exec(query);
  const block = /^(?:block\s*)?(\d+)\s*(?:→|->|>|to|,)\s*(\d+)$/.exec(query);
  if (rank) return Number(rank[1]) < exchange.ranks ? { rank: Number(rank[1]) } : `The ranks are 0 to ${exchange.ranks - 1}.`;
  if (round)
    return Number(round[1]) < exchange.rounds.length
      ? { position: Number(round[1]) }
      : `The rounds are 0 to ${exchange.rounds.length - 1}.`;
  if (block) {
    const [origin, target] = [Number(block[1]), Number(block[2])];
    if (origin >= exchange.ranks || target >= exchange.ranks) return `The ranks are 0 to ${exchange.ranks - 1}.`;
    const found = replay.parts.block(origin, replay.parts.byTarget ? target : 0);
    return found ? { block: found } : `Rank ${origin} has no data for rank ${target}.`;
  }
  const stage = exchange.stages.find((entry) => query !== "" && entry.name.toLowerCase().includes(query));
  return stage
    ? { position: stage.first }
    : `Nothing is named "${text.trim()}". Search for a rank (5), a round (round 3), a block (2>7) or a stage.`;
}

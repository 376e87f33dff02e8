// SPDX-License-Identifier: BSD-3-Clause
// The way of a block through all rounds: every move of its bytes, and what overwrites it.
import type { Block } from "./blocks";
import type { Piece } from "./memory";
import { type Move, type Replay, type State } from "./replay";

export interface Way {
  readonly block: Block;
  readonly moves: readonly (readonly Move[])[]; // for each round
  readonly holders: readonly (readonly number[])[]; // ranks that hold bytes of it, before each round and at the end
}

export function holdsBytes(replay: Replay, block: Block, content: number, from: number, bytes: number): boolean {
  return from < block.from + block.bytes && from + bytes > block.from && replay.contents.has(content, block.origin);
}

function holders(replay: Replay, state: State, block: Block): number[] {
  const found = new Set<number>();
  state.forEach((pieces: readonly Piece[], index) => {
    if (pieces.some((piece) => holdsBytes(replay, block, piece.content, piece.from, piece.bytes)))
      found.add(Math.floor(index / 3));
  });
  return [...found];
}

export function follow(replay: Replay, block: Block): Way {
  const moves: Move[][] = [];
  const held: number[][] = [holders(replay, replay.before(0), block)];
  for (let round = 0; round < replay.rounds; ++round) {
    const all = replay.moves(round);
    moves.push(
      [...all.locals, ...all.messages].filter((move) => holdsBytes(replay, block, move.content, move.from, move.source.bytes)),
    );
    // Who holds it changes only where it was, or where it went.
    held.push(holders(replay, replay.step(round).after, block));
  }
  return { block, moves, holders: held };
}

// SPDX-License-Identifier: BSD-3-Clause
// What the collective says about blocks: how each rank's input is divided, for whom each part is, and what each output must hold.
import { type Exchange, isReduction } from "./exchange";
import type { Contents } from "./content";
import { overlaid, type Piece } from "./memory";

// A part of a rank's input. Parts are followed by this name wherever they lie.
export interface Block {
  readonly origin: number;
  readonly from: number; // offset in the input
  readonly bytes: number;
}

const sumsBefore = (sizes: readonly number[]): number[] => {
  let sum = 0;
  return sizes.map((size) => (sum += size) - size);
};

const countsOf = (exchange: Exchange, rank: number) => (exchange.counts as readonly (readonly number[])[])[rank]!;

// Sizes of the parts of a rank's input: one for each target, or one for all.
export function partSizes(exchange: Exchange, rank: number): readonly number[] {
  const { collective, ranks, root } = exchange;
  const share = exchange.blockBytes ?? 0;
  const shares = (exchange.counts ?? []) as readonly number[];
  const equal = () => new Array<number>(ranks).fill(share);
  switch (collective) {
    case "alltoall":
      return equal();
    case "alltoallv":
      return exchange.sharedBlocks ? [Math.max(...countsOf(exchange, rank))] : countsOf(exchange, rank);
    case "scatter":
      return rank === root ? equal() : [];
    case "scatterv":
      return rank === root ? shares : [];
    case "reduce_scatter":
      return equal();
    case "reduce_scatterv":
      return shares;
    case "allgatherv":
    case "gatherv":
      return [shares[rank]!];
    case "broadcast":
      return rank === root ? [share] : [];
    case "barrier":
      return [];
    default:
      return [share];
  }
}

// Looks up the target of a part, or -1 if it is for several ranks.
export class Parts {
  private readonly starts: number[][] = [];
  readonly byTarget: boolean;

  constructor(private readonly exchange: Exchange) {
    this.byTarget =
      !exchange.sharedBlocks &&
      ["alltoall", "alltoallv", "scatter", "scatterv", "reduce_scatter", "reduce_scatterv"].includes(exchange.collective);
  }

  private startsOf(rank: number): number[] {
    return (this.starts[rank] ??= sumsBefore(partSizes(this.exchange, rank)));
  }

  index(origin: number, from: number): number {
    const starts = this.startsOf(origin);
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= from) low = middle;
      else high = middle;
    }
    return low;
  }

  target(origin: number, from: number): number {
    return this.byTarget ? this.index(origin, from) : -1;
  }

  // The block of the part from `origin` for `target`.
  block(origin: number, index: number): Block | undefined {
    const bytes = partSizes(this.exchange, origin)[index];
    return bytes ? { origin, from: this.startsOf(origin)[index]!, bytes } : undefined;
  }

  // What the input of a rank holds in the beginning.
  input(rank: number): Piece[] {
    const starts = this.startsOf(rank);
    return partSizes(this.exchange, rank)
      .map((bytes, i) => ({ at: starts[i]!, bytes, content: rank, from: starts[i]! }))
      .filter((piece) => piece.bytes > 0);
  }
}

// What a rank's output must hold in the end: the operands of each part, and where they come from.
export interface Expected {
  readonly at: number;
  readonly bytes: number;
  readonly from: number;
  readonly operands: readonly number[];
}

export function expectedOutput(exchange: Exchange, parts: Parts, rank: number): Expected[] {
  const { collective, ranks, root } = exchange;
  const all = Array.from({ length: ranks }, (_, i) => i);
  const whole = (operands: number[]) => [{ at: 0, bytes: exchange.blockBytes ?? 0, from: 0, operands }];
  const collected = (index: number, isWanted = (_origin: number) => true) => {
    let at = 0;
    return all.filter(isWanted).flatMap((origin) => {
      const block = parts.block(origin, index);
      if (!block) return [];
      at += block.bytes;
      return [{ at: at - block.bytes, bytes: block.bytes, from: block.from, operands: [origin] }];
    });
  };
  const one = (origin: number, operands: number[]) => {
    const block = parts.block(origin, rank);
    return block ? [{ at: 0, bytes: block.bytes, from: block.from, operands }] : [];
  };
  switch (collective) {
    case "alltoall":
    case "alltoallv":
      if (!exchange.sharedBlocks) return collected(rank);
      return collected(0, (origin) => countsOf(exchange, origin)[rank]! > 0);
    case "allgather":
    case "allgatherv":
      return collected(0);
    case "gather":
    case "gatherv":
      return rank === root ? collected(0) : [];
    case "broadcast":
      return whole([root]);
    case "scatter":
    case "scatterv":
      return one(root, [root]);
    case "reduce":
      return rank === root ? whole(all) : [];
    case "allreduce":
      return whole(all);
    case "reduce_scatter":
    case "reduce_scatterv":
      return one(0, all);
    case "scan":
      return whole(all.slice(0, rank + 1));
    case "exscan":
      return rank === 0 ? [] : whole(all.slice(0, rank));
    default:
      return [];
  }
}

// Bytes of an output that are not what the collective asks for.
export interface Fault {
  readonly rank: number;
  readonly at: number;
  readonly bytes: number;
  readonly missing: boolean; // never written, as against wrong
}

export function faultsOf(exchange: Exchange, parts: Parts, contents: Contents, rank: number, output: readonly Piece[]): Fault[] {
  const expected = expectedOutput(exchange, parts, rank).filter((part) => part.bytes > 0);
  const faults: Fault[] = [];
  // The number of the expectation stands in for a content.
  const asPieces = expected.map((part, i) => ({ at: part.at, bytes: part.bytes, content: i, from: part.from }));
  overlaid(asPieces, output, (wanted, found) => {
    if (!wanted) return; // more than the collective asks for: the verifier's matter
    const right =
      found && found.from === wanted.from && sameOperands(exchange, contents, found.content, expected[wanted.content]!.operands);
    if (!right) faults.push({ rank, at: wanted.at, bytes: wanted.bytes, missing: !found });
  });
  return faults;
}

function sameOperands(exchange: Exchange, contents: Contents, content: number, wanted: readonly number[]): boolean {
  const { operands, repeated } = contents.at(content);
  if (repeated || operands.length !== wanted.length) return false;
  if (!isReduction(exchange)) return operands[0] === wanted[0];
  const set = new Set(operands);
  return wanted.every((rank) => set.has(rank));
}

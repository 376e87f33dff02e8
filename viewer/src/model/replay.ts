// SPDX-License-Identifier: BSD-3-Clause
// Replays an exchange on symbolic bytes: which block lies where after each round. A round's local operations come first, in order;
// then all its messages read before any of them writes. What is not usable does nothing, as for the verifier.
import { type Fault, faultsOf, Parts } from "./blocks";
import { Contents } from "./content";
import { type Exchange, isReduction, type Local, type Message, type Region, type Round } from "./exchange";
import { overlaid, type Piece, read, write } from "./memory";
import { isUsableLocal, isUsableMessage } from "./usable";

// The pieces of all buffers: buffer b of rank r has index 3 r + b. Never changed after it was made.
export type State = readonly (readonly Piece[])[];

export const buffersPerRank = 3;

// Bytes on their way from one place to another in a round.
export interface Move {
  readonly cause: Local | Message;
  readonly fromRank: number;
  readonly toRank: number;
  readonly source: Region;
  readonly target: Region;
  readonly content: number;
  readonly from: number;
}

// What happens in a round.
export interface Step {
  readonly before: State;
  readonly copied: State; // after the local operations
  readonly after: State;
}

// States that are kept hold at most so many pieces; the others are replayed again from the nearest one before.
const mostPieces = 3_000_000;

const isLocal = (cause: Local | Message): cause is Local => "operation" in cause;

// A state that is being changed: lists are copied when they are first written.
class Draft {
  readonly lists: Piece[][];
  private readonly own = new Set<number>();

  constructor(state: State) {
    this.lists = state.slice() as Piece[][];
  }

  writable(index: number): Piece[] {
    if (!this.own.has(index)) {
      this.lists[index] = this.lists[index]!.slice();
      this.own.add(index);
    }
    return this.lists[index]!;
  }

  get changed(): number {
    let pieces = 0;
    for (const index of this.own) pieces += this.lists[index]!.length;
    return pieces;
  }
}

function gather(state: State, rank: number, regions: readonly Region[]): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  for (const region of regions) {
    read(state[buffersPerRank * rank + region.buffer]!, region.offset, region.bytes, at, found);
    at += region.bytes;
  }
  return found;
}

function scatter(draft: Draft, rank: number, regions: readonly Region[], stream: readonly Piece[]): void {
  let at = 0;
  let next = 0;
  for (const region of regions) {
    const end = at + region.bytes;
    const part: Piece[] = [];
    while (next < stream.length && stream[next]!.at < end) {
      const piece = stream[next]!;
      const first = Math.max(piece.at, at);
      const last = Math.min(piece.at + piece.bytes, end);
      part.push({
        at: first - at + region.offset,
        bytes: last - first,
        content: piece.content,
        from: piece.from + first - piece.at,
      });
      if (piece.at + piece.bytes > end) break;
      ++next;
    }
    write(draft.writable(buffersPerRank * rank + region.buffer), region.offset, region.bytes, part);
    at = end;
  }
}

export class Replay {
  readonly contents: Contents;
  readonly parts: Parts;
  private readonly kept = new Map<number, State>(); // before the round of this number
  private spacing = 1;
  private pieces = 0;
  private found: readonly Fault[] | undefined;
  private latest: { round: number; step: Step } | undefined;

  constructor(readonly exchange: Exchange) {
    this.contents = new Contents(exchange.ranks);
    this.parts = new Parts(exchange);
    const start: Piece[][] = [];
    for (let rank = 0; rank < exchange.ranks; ++rank) {
      start.push(this.parts.input(rank), [], []);
    }
    this.kept.set(0, start);
  }

  get rounds(): number {
    return this.exchange.rounds.length;
  }

  // The state before a round; `rounds` gives the state at the end.
  before(round: number): State {
    if (this.latest?.round === round) return this.latest.step.before;
    if (this.latest?.round === round - 1) return this.latest.step.after;
    let first = round;
    while (!this.kept.has(first)) --first;
    let state = this.kept.get(first)!;
    for (; first < round; ++first) state = this.advanced(state, first).after;
    return state;
  }

  step(round: number): Step {
    if (this.latest?.round !== round) this.latest = { round, step: this.advanced(this.before(round), round) };
    return this.latest.step;
  }

  private advanced(before: State, number: number): Step {
    const round = this.exchange.rounds[number]!;
    const locals = new Draft(before);
    for (const local of this.localsOf(round)) this.run(local, locals);
    const copied = round.locals.length ? locals.lists : before;
    const messages = new Draft(copied);
    const usable = this.messagesOf(round);
    const taken = usable.map((message) => gather(copied, message.from, message.read));
    usable.forEach((message, i) => scatter(messages, message.to, message.write, taken[i]!));
    const after = messages.lists;
    this.keep(number + 1, after, messages.changed + locals.changed);
    return { before, copied, after };
  }

  private localsOf(round: Round): Local[] {
    return round.locals.filter((local) => isUsableLocal(this.exchange, local));
  }

  private messagesOf(round: Round): Message[] {
    return round.messages.filter((message) => isUsableMessage(this.exchange, message));
  }

  private run(local: Local, draft: Draft): void {
    const source = gather(draft.lists, local.rank, local.source);
    if (local.operation === "copy") return scatter(draft, local.rank, local.target, source);
    const target = gather(draft.lists, local.rank, local.target);
    const result: Piece[] = [];
    overlaid(source, target, (a, b) => {
      if (!a || !b || a.from !== b.from) return; // an operand is undefined, or they do not belong together
      const [left, right] = local.operation === "source-first" ? [a, b] : [b, a];
      result.push({ ...b, content: this.contents.combined(left.content, right.content) });
    });
    scatter(draft, local.rank, local.target, result);
  }

  // Keeps states in regular distances; the distance doubles when there are too many pieces.
  private keep(round: number, state: State, pieces: number): void {
    if (round % this.spacing !== 0 || this.kept.has(round)) return;
    this.kept.set(round, state);
    this.pieces += pieces;
    if (this.pieces < mostPieces) return;
    this.spacing *= 2;
    for (const number of [...this.kept.keys()]) if (number % this.spacing !== 0) this.kept.delete(number);
    this.pieces /= 2;
  }

  // The bytes that move in a round, one entry for each piece and region.
  moves(number: number): { locals: Move[]; messages: Move[] } {
    const { before, copied } = this.step(number);
    const round = this.exchange.rounds[number]!;
    const locals: Move[] = [];
    const draft = new Draft(before);
    for (const local of this.localsOf(round)) {
      this.collect(local, draft.lists, local.rank, local.source, local.rank, local.target, locals);
      this.run(local, draft);
    }
    const messages: Move[] = [];
    for (const message of this.messagesOf(round))
      this.collect(message, copied, message.from, message.read, message.to, message.write, messages);
    return { locals, messages };
  }

  private collect(
    cause: Local | Message,
    state: State,
    fromRank: number,
    source: readonly Region[],
    toRank: number,
    target: readonly Region[],
    moves: Move[],
  ): void {
    let reading = 0; // index and offset in source and target
    let readAt = 0;
    let writing = 0;
    let writtenAt = 0;
    while (reading < source.length && writing < target.length) {
      const s = source[reading]!;
      const t = target[writing]!;
      const bytes = Math.min(s.bytes - readAt, t.bytes - writtenAt);
      const found: Piece[] = [];
      read(state[buffersPerRank * fromRank + s.buffer]!, s.offset + readAt, bytes, 0, found);
      for (const piece of found)
        moves.push({
          cause,
          fromRank,
          toRank,
          source: { buffer: s.buffer, offset: s.offset + readAt + piece.at, bytes: piece.bytes },
          target: { buffer: t.buffer, offset: t.offset + writtenAt + piece.at, bytes: piece.bytes },
          content: piece.content,
          from: piece.from,
        });
      if ((readAt += bytes) === s.bytes) [reading, readAt] = [reading + 1, 0];
      if ((writtenAt += bytes) === t.bytes) [writing, writtenAt] = [writing + 1, 0];
    }
  }

  // What is missing or wrong in the outputs at the end.
  faults(): readonly Fault[] {
    const end = this.before(this.rounds);
    return (this.found ??= Array.from({ length: this.exchange.ranks }, (_, rank) =>
      faultsOf(this.exchange, this.parts, this.contents, rank, end[buffersPerRank * rank + 1]!),
    ).flat());
  }

  get combines(): boolean {
    return isReduction(this.exchange);
  }
}

export { isLocal };

// SPDX-License-Identifier: BSD-3-Clause
// What a view gets and gives. A view that draws is a pure function of the frame.
import type { Block } from "../model/blocks";
import { localPart } from "../model/clock";
import type { Clock, Exchange } from "../model/exchange";
import type { Way } from "../model/follow";
import type { Replay } from "../model/replay";
import type { Look } from "./look";

export type ColourBy = "origin" | "target";

export interface Selection {
  readonly rank?: number;
  readonly block?: Block;
}

// The clock by which the page plays.
export interface RaceFrame {
  readonly clock: Clock;
  readonly finish: number; // when the exchange ends
  readonly end: number; // when the last exchange ends
}

export interface Frame {
  readonly exchange: Exchange;
  readonly replay: Replay;
  readonly position: number; // in rounds: 2.5 is the middle of round 2
  readonly round: number; // the round that is shown
  readonly share: number; // how much of the round is over, 0 to 1
  readonly selection: Selection;
  readonly way: Way | undefined; // of the selected block
  readonly race: RaceFrame | undefined; // where the page plays by times, or has two exchanges
  readonly colourBy: ColourBy;
  readonly sum: boolean; // traffic and loads of all rounds until now instead of this one
  readonly look: Look;
  readonly width: number;
  readonly height: number;
}

// What lies under the pointer.
export interface Pick {
  readonly text: string;
  readonly selection?: Selection;
  readonly position?: number;
}

export interface CanvasView {
  readonly name: string;
  draw(canvas: CanvasRenderingContext2D, frame: Frame): void;
  pick(frame: Frame, x: number, y: number): Pick | undefined;
  describe(frame: Frame): string;
}

// Parts of a round: first its local operations, if it has any, then its messages.
export interface Phase {
  readonly kind: "locals" | "messages";
  readonly share: number;
}

export function phaseOf(frame: Frame): Phase {
  const border = localPart(frame.exchange.rounds[frame.round]);
  if (frame.share < border) return { kind: "locals", share: frame.share / border };
  return { kind: "messages", share: (frame.share - border) / (1 - border) };
}

// Values that many frames share, such as layouts: computed again when one of the keys changes.
export function remembered<K extends readonly unknown[], V>(compute: (...keys: K) => V): (...keys: K) => V {
  let known: { keys: K; value: V }[] = [];
  return (...keys) => {
    const found = known.find((entry) => entry.keys.every((key, i) => key === keys[i]));
    if (found) return found.value;
    const made = { keys, value: compute(...keys) };
    known = [made, ...known].slice(0, 8);
    return made.value;
  };
}

export const smooth = (share: number): number => share * share * (3 - 2 * share);

// Every how many ranks one is labelled, if a label needs `room` and a rank has `size`: a power of two.
export function labelStep(room: number, size: number): number {
  let step = 1;
  while (step * size < room) step *= 2;
  return step;
}

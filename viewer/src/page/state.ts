// SPDX-License-Identifier: BSD-3-Clause
// What the reader of the page has chosen. Whoever changes it tells all who listen.
import type { Block } from "../model/blocks";
import type { ColourBy } from "../views/view";
import type { Theme } from "./theme";

export const viewNames = ["memory", "network", "time", "traffic", "figures", "text", "way", "findings"] as const;
export type ViewName = (typeof viewNames)[number];

export interface State {
  position: number; // in rounds, from 0 to their number
  playing: boolean;
  speed: number; // rounds in a second
  pace: string; // the key of the clock by which it plays: "rounds" gives every round the same time
  rank: number | undefined;
  block: Block | undefined;
  views: [ViewName, ViewName];
  colourBy: ColourBy;
  sum: boolean;
  theme: Theme;
}

export class Store {
  private readonly listeners: ((state: Readonly<State>) => void)[] = [];

  constructor(private current: State) {}

  get state(): Readonly<State> {
    return this.current;
  }

  set(change: Partial<State>): void {
    this.current = { ...this.current, ...change };
    for (const listener of this.listeners) listener(this.current);
  }

  listen(listener: (state: Readonly<State>) => void): void {
    this.listeners.push(listener);
  }
}

// SPDX-License-Identifier: BSD-3-Clause
// One clock for all exchanges of a page: the rounds, or the times of a machine. A position is a number of rounds of the exchange that
// ends last, the leader; the other one is where it is at the same time.
import { advanced, positionAt, roundTimes, timeAt } from "./clock";
import type { Clock, Exchange } from "./exchange";
import { formatTime, plural } from "./format";
import { machines, simulated } from "./machine";

// A choice of the reader.
export interface Pace {
  readonly key: string;
  readonly name: string;
  readonly costs?: string; // of a machine of the page
  clockOf(exchange: Exchange): Clock;
}

const kept = new WeakMap<Exchange, Map<string, Clock>>();

// Simulates once.
function keptClock(exchange: Exchange, key: string, make: () => Clock): Clock {
  const clocks = kept.get(exchange) ?? new Map<string, Clock>();
  kept.set(exchange, clocks);
  const clock = clocks.get(key) ?? make();
  clocks.set(key, clock);
  return clock;
}

export function pacesOf(exchanges: readonly Exchange[]): Pace[] {
  const shared = Math.min(...exchanges.map((exchange) => exchange.clocks.length));
  const own = Array.from({ length: shared }, (_, i): Pace => {
    const { kind, title } = exchanges[0]!.clocks[i]!;
    return {
      key: i === 0 ? "rounds" : `own${i}`,
      name: kind === "logical" ? "rounds" : title,
      clockOf: (exchange) => exchange.clocks[i]!,
    };
  });
  const simple = machines.map(
    (machine): Pace => ({
      ...machine,
      clockOf: (exchange) => keptClock(exchange, machine.key, () => simulated(exchange, machine)),
    }),
  );
  return [...own, ...simple];
}

export class OneClock {
  readonly clocks: readonly Clock[];
  readonly end: number; // when the last exchange has ended
  readonly leader: number;
  private readonly times: readonly Float64Array[];

  constructor(
    private readonly exchanges: readonly Exchange[],
    readonly pace: Pace,
  ) {
    this.clocks = exchanges.map((exchange) => pace.clockOf(exchange));
    this.times = exchanges.map((exchange, i) => roundTimes(exchange, this.clocks[i]!));
    const ends = this.times.map((times) => times.at(-1)!);
    this.end = Math.max(...ends);
    this.leader = ends.indexOf(this.end);
  }

  get rounds(): number {
    return this.exchanges[this.leader]!.rounds.length;
  }

  // When an exchange ends.
  endOf(index: number): number {
    return this.times[index]!.at(-1)!;
  }

  timeAt(position: number): number {
    return timeAt(this.times[this.leader]!, position);
  }

  positionOf(index: number, position: number): number {
    const rounds = this.exchanges[index]!.rounds.length;
    if (index === this.leader) return Math.min(position, rounds);
    const time = this.timeAt(position);
    return position >= this.rounds || time >= this.endOf(index) ? rounds : positionAt(this.times[index]!, time);
  }

  // The inverse: the leader's position when an exchange is at a position of its own.
  leaderPosition(index: number, position: number): number {
    return index === this.leader ? position : positionAt(this.times[this.leader]!, timeAt(this.times[index]!, position));
  }

  // The position at which a share of the whole time is over, and its inverse: to keep it when the clock changes.
  positionAt(share: number): number {
    return share >= 1 ? this.rounds : positionAt(this.times[this.leader]!, share * this.end);
  }

  shareAt(position: number): number {
    return this.end > 0 ? this.timeAt(position) / this.end : 0;
  }

  advanced(position: number, rounds: number): number {
    if (this.clocks[this.leader]!.kind === "logical" || position >= this.rounds) return position + rounds;
    return advanced(this.times[this.leader]!, position, rounds);
  }

  text(index: number): string {
    const { unit } = this.clocks[index]!;
    return unit === "round" ? plural(this.endOf(index), "round") : formatTime(this.endOf(index), unit);
  }

  // Who of two ends first, and by how much.
  verdict(names: readonly string[]): string {
    const [left, right] = [this.endOf(0), this.endOf(1)];
    const times = names.map((name, i) => `${name} ${this.text(i)}`).join(", ");
    if (left === right) return `${times}: both end together`;
    const ratio = Math.max(left, right) / Math.min(left, right);
    const faster = names[left < right ? 0 : 1]!;
    return `${times}: ${faster} ends first${Number.isFinite(ratio) ? `, ${Number(ratio.toPrecision(3))} times as fast` : ""}`;
  }
}

// SPDX-License-Identifier: BSD-3-Clause
// The figures of a schedule, counted as the command counts them, and what each round costs.
import type { Exchange } from "./exchange";
import { largest } from "./numbers";
import { busiest, linkLoads } from "./loads";

export interface RoundFigures {
  readonly number: number;
  readonly stage: string;
  readonly messages: number;
  readonly longest: number; // bytes
  readonly bytes: number;
  readonly ports: number; // most messages that a rank sends, or receives
  readonly sharing: number | undefined; // most messages on a link, if the network is known
}

export interface Figures {
  readonly c1: number;
  readonly c2: number;
  readonly ports: number;
  readonly startups: number;
  readonly trafficOut: number;
  readonly trafficIn: number;
  readonly scratch: number;
  readonly outputAndScratch: number;
  readonly sharing: number | undefined; // most messages of a round on a link, if the network is known
  readonly c2Shared: number | undefined; // the sum of each round's longest message times its sharing
  readonly controlBytes: number;
  readonly rounds: readonly RoundFigures[];
}

class Tally extends Map<number, number> {
  add(key: number, amount: number): void {
    this.set(key, (this.get(key) ?? 0) + amount);
  }
}

export function figures(exchange: Exchange): Figures {
  const barrier = exchange.collective === "barrier";
  const [started, sent, received] = [new Tally(), new Tally(), new Tally()];
  let controlBytes = 0;
  const rounds = exchange.rounds.map((round): RoundFigures => {
    const [out, into] = [new Tally(), new Tally()];
    let [longest, bytes] = [0, 0];
    for (const message of round.messages) {
      if (message.control) controlBytes += message.bytes;
      if (message.control && !barrier) continue;
      const data = message.control ? 0 : message.bytes;
      out.add(message.from, 1);
      into.add(message.to, 1);
      started.add(message.from, 1);
      sent.add(message.from, data);
      received.add(message.to, data);
      longest = Math.max(longest, data);
      bytes += data;
    }
    const messages = [...out.values()].reduce((sum, count) => sum + count, 0);
    return {
      number: round.number,
      stage: exchange.stages[round.stage]?.name ?? "",
      messages,
      longest,
      bytes,
      ports: Math.max(largest(out.values()), largest(into.values())),
      sharing: exchange.network ? busiest(linkLoads(exchange, round.number, round.number)).sharing : undefined,
    };
  });
  return {
    c1: rounds.filter((round) => round.messages > 0).length,
    c2: rounds.reduce((sum, round) => sum + round.longest, 0),
    ports: largest(rounds.map((round) => round.ports)),
    startups: largest(started.values()),
    trafficOut: largest(sent.values()),
    trafficIn: largest(received.values()),
    scratch: largest(exchange.buffers[2]),
    outputAndScratch: largest(exchange.buffers[1].map((bytes, rank) => bytes + exchange.buffers[2][rank]!)),
    sharing: exchange.network ? largest(rounds.map((round) => round.sharing ?? 0)) : undefined,
    c2Shared: exchange.network ? rounds.reduce((sum, round) => sum + round.longest * (round.sharing ?? 0), 0) : undefined,
    controlBytes,
    rounds,
  };
}

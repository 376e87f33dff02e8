// SPDX-License-Identifier: BSD-3-Clause
// Simulated times of an exchange on two simple machines, on which two schedules are compared. Each rank sends one message at a time and
// receives one at a time, both at once; it begins a round when it has done the one before. Copies and combining take no time.
import type { Clock, Exchange } from "./exchange";
import { largest } from "./numbers";

export interface SimpleMachine {
  readonly key: string;
  readonly name: string;
  readonly costs: string;
  readonly startup: number; // ps for a message
  readonly perByte: number; // ps
}

export const machines: readonly SimpleMachine[] = [
  { key: "latency", name: "latency-bound machine", costs: "10 µs a message, 0.1 ns a byte", startup: 10_000_000, perByte: 100 },
  { key: "bandwidth", name: "bandwidth-bound machine", costs: "20 ns a message, 10 ns a byte", startup: 20_000, perByte: 10_000 },
];

export function simulated(exchange: Exchange, machine: SimpleMachine): Clock {
  const count = exchange.messages.length;
  const [sendBegin, sendEnd, receiveBegin, receiveEnd] = Array.from({ length: 4 }, () => new Float64Array(count).fill(-1));
  const ready = new Float64Array(exchange.ranks);
  for (const { messages } of exchange.rounds) {
    const [sending, receiving] = [ready.slice(), ready.slice()];
    for (const { index, from, to, bytes, ends } of messages) {
      if (ends !== "both") continue;
      const duration = machine.startup + bytes * machine.perByte;
      sendBegin![index] = sending[from]!;
      sending[from] = sendEnd![index] = sending[from]! + duration;
      receiving[to] = receiveEnd![index] = Math.max(sending[from]!, receiving[to]! + duration);
      receiveBegin![index] = receiving[to]! - duration;
    }
    for (let rank = 0; rank < exchange.ranks; ++rank) ready[rank] = Math.max(sending[rank]!, receiving[rank]!);
  }
  return {
    kind: "rounds",
    title: machine.name,
    unit: "ps",
    end: largest(ready),
    sendBegin: sendBegin!,
    sendEnd: sendEnd!,
    receiveBegin: receiveBegin!,
    receiveEnd: receiveEnd!,
    waits: [],
    packing: [],
  };
}

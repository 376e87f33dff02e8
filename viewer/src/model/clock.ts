// SPDX-License-Identifier: BSD-3-Clause
// Clocks: the logical one is made from the rounds. A position on the page is a number of rounds; every other clock is aligned with
// it by the ends of the rounds.
import type { Clock, Exchange, Message, Round } from "./exchange";

export function logicalClock(rounds: readonly Round[], messages: readonly Message[]): Clock {
  const begin = Float64Array.from(messages, (message) => message.round);
  const end = begin.map((round) => round + 1);
  return {
    kind: "logical",
    title: "rounds",
    unit: "round",
    end: rounds.length,
    sendBegin: begin,
    sendEnd: end,
    receiveBegin: begin,
    receiveEnd: end,
    waits: [],
    packing: [],
  };
}

const localShare = 0.25;

// The part of a round after which its messages begin: on the page local operations come first, as they take no logical time.
export function localPart(round: Round | undefined): number {
  if (!round?.locals.length) return 0;
  return round.messages.length ? localShare : 1;
}

// times[r]: when everything of the rounds before r is done, never falling; times[0] = 0.
export function roundTimes(exchange: Exchange, clock: Clock): Float64Array {
  const rounds = exchange.rounds.length;
  const times = new Float64Array(rounds + 1);
  for (const round of exchange.rounds) {
    let end = clock.kind === "logical" ? round.number + 1 : 0; // also of rounds with local operations only
    for (const { index } of round.messages) end = Math.max(end, clock.sendEnd[index] ?? 0, clock.receiveEnd[index] ?? 0);
    if (clock.localEnd) for (const { index } of round.locals) end = Math.max(end, clock.localEnd[index] ?? 0);
    times[round.number + 1] = end;
  }
  for (let r = 1; r <= rounds; ++r) times[r] = Math.max(times[r]!, times[r - 1]!);
  if (rounds > 0) times[rounds] = Math.max(times[rounds]!, clock.end);
  return times;
}

// The position after a part of the whole duration, in a clock where all rounds together take `rounds`.
export function advanced(times: Float64Array, position: number, rounds: number): number {
  const duration = times.at(-1)!;
  const time = timeAt(times, position) + (rounds / (times.length - 1)) * duration;
  if (duration === 0) return position + rounds;
  return time >= duration ? times.length - 1 : positionAt(times, time);
}

export function timeAt(times: Float64Array, position: number): number {
  const round = Math.min(Math.floor(position), times.length - 2);
  if (round < 0) return times[0] ?? 0;
  return times[round]! + (position - round) * (times[round + 1]! - times[round]!);
}

export function positionAt(times: Float64Array, time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle;
    else high = middle;
  }
  const width = times[low + 1]! - times[low]!;
  return Math.max(0, Math.min(times.length - 1, low + (width > 0 ? (time - times[low]!) / width : 0)));
}

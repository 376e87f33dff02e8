// SPDX-License-Identifier: BSD-3-Clause
// The replay must end in the postcondition of each collective, and must notice when a schedule is wrong.
import { describe, expect, test } from "vitest";
import { readPage } from "../src/load/document";
import { collectives } from "../src/load/problem";
import type { Exchange } from "../src/model/exchange";
import { follow } from "../src/model/follow";
import { Replay } from "../src/model/replay";
import { exchange, scheduleNames, scheduleText } from "./schedules";

const faults = (of: Exchange) => new Replay(of).faults();

describe("the postcondition", () => {
  test.each(scheduleNames)("%s", (name) => expect(faults(exchange(name))).toEqual([]));

  test("there are schedules of every collective", () => {
    expect(new Set(scheduleNames.map((name) => name.split("-")[0]))).toEqual(collectives);
  });
});

// Every schedule is changed in each message: without it, some output must be missing. Barriers have no data.
describe("a schedule without one of its messages is wrong", () => {
  test.each(scheduleNames.filter((name) => !name.startsWith("barrier")))("%s", (name) => {
    const whole = exchange(name);
    for (const message of whole.messages) {
      if (message.control) continue;
      const rounds = whole.rounds.map((round) => ({ ...round, messages: round.messages.filter((other) => other !== message) }));
      expect(faults({ ...whole, rounds }), `message ${message.index}`).not.toEqual([]);
    }
  });
});

test("messages of a round read before any of them writes", () => {
  const swap = {
    format: "quadrille-schedule/1",
    collective: "alltoall",
    ranks: 2,
    block_bytes: 4,
    buffers: { input: [8, 8], output: [8, 8] },
    stages: [
      {
        name: "swap",
        rounds: [
          {
            local: [
              {
                rank: 0,
                copy: [
                  ["input", 0, 8],
                  ["output", 0, 8],
                ],
              },
              {
                rank: 1,
                copy: [
                  ["input", 0, 8],
                  ["output", 0, 8],
                ],
              },
            ],
          },
          {
            messages: [
              { from: 0, to: 1, read: [["output", 4, 4]], write: [["output", 0, 4]] },
              { from: 1, to: 0, read: [["output", 0, 4]], write: [["output", 4, 4]] },
            ],
          },
        ],
      },
    ],
  };
  expect(faults(readPage(JSON.stringify(swap)).exchanges[0]!)).toEqual([]);
});

test("an operand that is combined twice is wrong", () => {
  const document = JSON.parse(scheduleText("reduce-binomial-6"));
  const local = document.stages
    .flatMap((stage: { rounds: object[] }) => stage.rounds)
    .find((round: { local?: { reduce?: object }[] }) => round.local?.some((entry) => entry.reduce)).local;
  local.push(structuredClone(local.find((entry: { reduce?: object }) => entry.reduce)));
  expect(faults(readPage(JSON.stringify(document)).exchanges[0]!)).not.toEqual([]);
});

test("states are the same whether they are reached in order, backwards or at once", () => {
  const of = exchange("alltoall-torus-3x3");
  const [forwards, backwards] = [new Replay(of), new Replay(of)];
  const ahead = Array.from({ length: of.rounds.length + 1 }, (_, round) => forwards.before(round));
  for (let round = of.rounds.length; round >= 0; --round) {
    expect(backwards.before(round)).toEqual(ahead[round]);
    expect(new Replay(of).before(round)).toEqual(ahead[round]);
  }
});

// In Bruck's algorithm with radix 2 block i -> j travels once for each bit of j - i that is 1.
test("the way of a block", () => {
  const of = exchange("alltoall-bruck-8");
  const replay = new Replay(of);
  for (let i = 0; i < 8; ++i)
    for (let j = 0; j < 8; ++j) {
      const way = follow(replay, replay.parts.block(i, j)!);
      const distance = (j - i + 8) % 8;
      const hops = way.moves.flat().filter((move) => move.fromRank !== move.toRank);
      expect(hops.length).toBe([1, 2, 4].filter((bit) => distance & bit).length);
      let at = i;
      for (const hop of hops) {
        expect(hop.fromRank).toBe(at);
        at = hop.toRank;
      }
      expect(at).toBe(j);
      expect(way.holders.at(-1)).toContain(j);
    }
});

test("moves add up to what the messages carry", () => {
  for (const name of scheduleNames) {
    const replay = new Replay(exchange(name));
    for (const round of replay.exchange.rounds) {
      const moved = replay.moves(round.number).messages.reduce((sum, move) => sum + move.source.bytes, 0);
      expect(moved).toBe(round.messages.reduce((sum, message) => sum + (message.control ? 0 : message.bytes), 0));
    }
  }
});

// As the verifier does: what is reported as unmatched, of different lengths or out of its buffer moves no data.
test("messages and copies that cannot be carried out leave memory as it is", () => {
  const of = exchange("alltoall-torus-3x3");
  const sound = of.messages.find((message) => !message.control)!;
  const shorter = sound.read.map((region, i) => (i === 0 ? { ...region, bytes: region.bytes - 1 } : region));
  const outside = sound.read.map((region, i) =>
    i === 0 ? { ...region, offset: of.buffers[region.buffer][sound.from]! } : region,
  );
  const broken = [
    { ...sound, read: shorter },
    { ...sound, read: outside },
    { ...sound, ends: "sender" as const },
    { ...sound, ends: "receiver" as const },
  ];
  const without = (changed: typeof sound | undefined) => {
    const rounds = of.rounds.map((round) => ({
      ...round,
      messages: round.messages.flatMap((message) => (message !== sound ? [message] : changed ? [changed] : [])),
    }));
    return new Replay({ ...of, rounds });
  };
  const expected = without(undefined);
  for (const changed of broken) {
    const replay = without(changed);
    expect(replay.before(of.rounds.length)).toEqual(expected.before(of.rounds.length));
    expect(replay.moves(sound.round).messages).toEqual(expected.moves(sound.round).messages);
  }
  const local = of.rounds.flatMap((round) => round.locals)[0]!;
  const target = local.target.map((region, i) => (i === 0 ? { ...region, bytes: region.bytes - 1 } : region));
  const cut = (change: (other: typeof local) => (typeof local)[]) =>
    new Replay({ ...of, rounds: of.rounds.map((round) => ({ ...round, locals: round.locals.flatMap(change) })) });
  expect(cut((other) => [other === local ? { ...local, target } : other]).before(1)).toEqual(
    cut((other) => (other === local ? [] : [other])).before(1),
  );
});

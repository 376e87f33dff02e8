// SPDX-License-Identifier: BSD-3-Clause
// Reads quadrille-trace/1: messages and local operations with their times by several clocks.
import { logicalClock } from "../model/clock";
import type {
  Bound,
  Clock,
  Exchange,
  Finding,
  Interval,
  Local,
  Message,
  Network,
  Operation,
  Round,
  Stage,
} from "../model/exchange";
import { readColumn, Table } from "./columns";
import { checkProblem, mostRanks, mostRounds, readProblem } from "./problem";
import { Reader, Refusal } from "./reader";
import { readRegions } from "./regions";

const operations: Operation[] = ["copy", "source-first", "target-first"];
const ends: Message["ends"][] = ["both", "sender", "receiver"];
const noTime = -1;

function readList(reader: Reader, least: number, count: number): number[] {
  const values = readColumn(reader, least, count);
  if (values.length !== count) reader.refuse(`must have ${count} values`);
  return values;
}

function readMessages(reader: Reader, ranks: number): Message[] {
  const table = Table.of(reader, "round");
  const round = table.column("round", 0, mostRounds - 1);
  const from = table.column("from", 0, ranks - 1);
  const to = table.column("to", 0, ranks - 1);
  const bytes = table.column("bytes", 0);
  const control = table.optional("control", 0, 0, 1);
  const ended = table.optional("ends", 0, 0, 2);
  const dimension = table.optional("port_dimension", -1, -1);
  const direction = table.optional("port_direction", 0, -1, 1);
  const places = table.optional("receive_place", 0, 0);
  const read = readRegions(reader.at("read"), table.rows);
  const write = readRegions(reader.at("write"), table.rows);
  return round.map((number, index) => ({
    index,
    round: number,
    from: from[index]!,
    to: to[index]!,
    bytes: bytes[index]!,
    control: control[index] === 1,
    port: dimension[index]! < 0 ? undefined : [dimension[index]!, direction[index]!],
    ends: ends[ended[index]!]!,
    read: read[index]!,
    write: write[index]!,
    receivePlace: places[index]!,
  }));
}

function readLocals(reader: Reader, ranks: number): { round: number; local: Local }[] {
  const table = Table.of(reader, "round");
  const round = table.column("round", 0, mostRounds - 1);
  const rank = table.column("rank", 0, ranks - 1);
  const operation = table.column("operation", 0, 2);
  const bytes = table.column("bytes", 0);
  const source = readRegions(reader.at("source"), table.rows);
  const target = readRegions(reader.at("target"), table.rows);
  return round.map((number, index) => ({
    round: number,
    local: {
      index,
      rank: rank[index]!,
      operation: operations[operation[index]!]!,
      bytes: bytes[index]!,
      source: source[index]!,
      target: target[index]!,
    },
  }));
}

function readStages(reader: Reader): Stage[] {
  return reader.list().map((stage) => ({
    name: stage.at("name").text(),
    first: stage.at("first_round").whole(0, mostRounds),
    rounds: stage.at("round_count").whole(0, mostRounds),
  }));
}

function makeRounds(stages: readonly Stage[], messages: readonly Message[], locals: { round: number; local: Local }[]): Round[] {
  let count = 0;
  for (const stage of stages) count = Math.max(count, stage.first + stage.rounds);
  for (const { round } of [...messages, ...locals]) count = Math.max(count, round + 1);
  if (count > mostRounds) throw new Refusal(`The trace has more than ${mostRounds} rounds, too many for this page.`);
  const stageOf = new Array<number>(count).fill(0);
  stages.forEach((stage, i) => stageOf.fill(i, stage.first, stage.first + stage.rounds));
  const rounds = stageOf.map((stage, number) => ({ number, stage, locals: [] as Local[], messages: [] as Message[] }));
  for (const message of messages) rounds[message.round]!.messages.push(message);
  for (const { round, local } of locals) rounds[round]!.locals.push(local);
  return rounds;
}

function readNetwork(reader: Reader, messages: number): Network {
  const links = reader.at("links");
  const table = Table.of(links, "number");
  const numbers = table.column("number", 0);
  const vertices = reader.at("vertices").whole(1, mostRanks * 4);
  const from = table.column("from", 0, vertices - 1);
  const to = table.column("to", 0, vertices - 1);
  const texts = links.optional("text", (list) => list.list().map((entry) => entry.text()));
  const index = new Map(numbers.map((number, i) => [number, i]));
  const ways = reader.at("ways");
  const hops = readList(ways.at("hops"), 0, messages);
  const total = hops.reduce((sum, count) => sum + count, 0);
  const crossed = readList(ways.at("link"), 0, total);
  let next = 0;
  const indexOf = (number: number): number =>
    index.get(number) ?? reader.refuse(`has a way over a link ${number} that it does not list`);
  return {
    topology: reader.at("topology").text(),
    grid: reader.optional("grid", (grid) => grid.wholes(1)) ?? [],
    vertices,
    links: numbers.map((number, i) => ({ number, from: from[i]!, to: to[i]!, text: texts?.[i] ?? `${from[i]} -> ${to[i]}` })),
    ways: hops.map((count) => crossed.slice(next, (next += count)).map(indexOf)),
  };
}

function readIntervals(reader: Reader, ranks: number): Interval[] {
  const table = Table.of(reader, "rank");
  const rank = table.column("rank", 0, ranks - 1);
  const round = table.column("round", 0);
  const begin = table.column("begin", noTime);
  const end = table.column("end", noTime);
  return rank.map((r, i) => ({ rank: r, round: round[i]!, begin: begin[i]!, end: end[i]! }));
}

function readClock(reader: Reader, ranks: number, messages: number, locals: number): Clock {
  const kind = reader.at("kind").text();
  if (kind !== "logical" && kind !== "rounds" && kind !== "events" && kind !== "executed") reader.refuse("has an unknown kind");
  const unit = reader.at("unit").text();
  if (unit !== "round" && unit !== "ps" && unit !== "ns") reader.refuse("has an unknown unit");
  const times = new Table(reader.at("messages"), messages);
  const local = reader.optional("local", (entry) => new Table(entry, locals));
  const intervals = (key: string) => reader.optional(key, (entry) => readIntervals(entry, ranks)) ?? [];
  return {
    kind,
    unit,
    title: reader.at("title").text(),
    end: reader.at("end").whole(),
    sendBegin: times.column("send_begin", noTime),
    sendEnd: times.column("send_end", noTime),
    receiveBegin: times.column("receive_begin", noTime),
    receiveEnd: times.column("receive_end", noTime),
    localBegin: local?.column("begin", noTime),
    localEnd: local?.column("end", noTime),
    waits: intervals("waits"),
    packing: intervals("packing"),
  };
}

function readFinding(reader: Reader): Finding {
  const whole = (key: string) => reader.optional(key, (entry) => entry.whole());
  const block = reader.optional("block", (entry) => entry.wholes());
  return {
    rule: reader.at("rule").text(),
    text: reader.at("text").text(),
    cause: whole("cause"),
    rank: whole("rank"),
    round: whole("round"),
    message: whole("message"),
    block: block?.length === 2 ? [block[0]!, block[1]!] : undefined,
  };
}

const readBound = (reader: Reader): Bound => ({
  figure: reader.at("figure").text(),
  value: reader.at("value").whole(),
  source: reader.at("source").text(),
});

// What the algorithm says of the rounds that the document lists.
function readSays(rounds: Reader): ReadonlyMap<number, string> | undefined {
  return rounds.optional("says", (list) => {
    const numbers = readColumn(rounds.at("number"), 0);
    return new Map(list.list().map((sentence, i) => [numbers[i] ?? mostRounds, sentence.text()]));
  });
}

export function readTrace(document: Reader): Exchange {
  const problem = readProblem(document, readList);
  checkProblem(problem, document.place);
  const { ranks } = problem;
  const stages = readStages(document.at("stages"));
  const messages = readMessages(document.at("messages"), ranks);
  const locals = document.optional("local", (reader) => readLocals(reader, ranks)) ?? [];
  const rounds = makeRounds(stages, messages, locals);
  const clocks =
    document.optional("times", (list) => list.list().map((time) => readClock(time, ranks, messages.length, locals.length))) ?? [];
  const figures = document.optional("figures", (reader) => reader);
  return {
    ...problem,
    title: document.at("title").text(),
    stages,
    rounds,
    says: document.optional("rounds", readSays),
    messages,
    clocks: [logicalClock(rounds, messages), ...clocks.filter((clock) => clock.kind !== "logical")],
    network: document.optional("network", (reader) => readNetwork(reader, messages.length)),
    findings: document.optional("findings", (list) => list.list().map(readFinding)) ?? [],
    bounds: figures?.optional("bounds", (list) => list.list().map(readBound)) ?? [],
  };
}

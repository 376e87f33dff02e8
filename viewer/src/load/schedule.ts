// SPDX-License-Identifier: BSD-3-Clause
// Reads quadrille-schedule/1: a schedule gives the logical time only.
import {
  bufferNames,
  type Buffer,
  type Exchange,
  type Local,
  type Message,
  type Region,
  type Round,
  type Stage,
} from "../model/exchange";
import { logicalClock } from "../model/clock";
import { formatBytes, plural } from "../model/format";
import { bytesOf } from "../model/usable";
import { checkProblem, mostRegions, mostRounds, readProblem } from "./problem";
import { Reader, Refusal } from "./reader";

const plainList = (reader: Reader, least: number, count: number): number[] => {
  const values = reader.wholes(least);
  if (values.length !== count) reader.refuse(`must have ${count} numbers`);
  return values;
};

class Regions {
  private total = 0;

  read(list: Reader): Region[] {
    const entries = list.array();
    // A single region may stand without a list.
    const regions = typeof entries[0] === "string" ? [list] : list.list();
    this.total += regions.length;
    if (this.total > mostRegions) throw new Refusal(`The schedule has more than ${mostRegions} regions, too many for this page.`);
    return regions.map((reader) => this.one(reader)).filter((region) => region.bytes > 0);
  }

  private one(reader: Reader): Region {
    const parts = reader.list();
    if (parts.length !== 3) reader.refuse("must be [buffer, offset, length]");
    const buffer = bufferNames.indexOf(parts[0]!.text() as (typeof bufferNames)[number]);
    if (buffer < 0) reader.refuse("names no buffer; the buffers are input, output and scratch");
    return { buffer: buffer as Buffer, offset: parts[1]!.whole(), bytes: parts[2]!.whole() };
  }
}

export function readSchedule(document: Reader): Exchange {
  const problem = readProblem(document, plainList);
  checkProblem(problem, document.place);
  const regions = new Regions();
  const rounds: Round[] = [];
  const stages: Stage[] = [];
  const messages: Message[] = [];
  let locals = 0;
  const rank = (reader: Reader) => reader.whole(0, problem.ranks - 1);

  const local = (entry: Reader): Local => {
    const copies = entry.has("copy");
    const [source, target, ...rest] = entry.at(copies ? "copy" : "reduce").list();
    if (!source || !target || rest.length) entry.refuse("must have a source and a target");
    const order = copies ? "copy" : entry.at("order").text();
    if (order !== "copy" && order !== "source-first" && order !== "target-first") entry.refuse("has an unknown order");
    const read = regions.read(source);
    return {
      index: locals++,
      rank: rank(entry.at("rank")),
      operation: order,
      bytes: bytesOf(read),
      source: read,
      target: regions.read(target),
    };
  };
  const port = (reader: Reader): [number, number] => {
    const [dimension, direction] = plainList(reader, -1, 2);
    return [dimension!, direction!];
  };
  const message = (entry: Reader, control: boolean): Message => {
    const read = control ? [] : regions.read(entry.at("read"));
    const write = control ? [] : regions.read(entry.at("write"));
    return {
      index: messages.length,
      round: rounds.length,
      from: rank(entry.at("from")),
      to: rank(entry.at("to")),
      bytes: control ? entry.at("bytes").whole() : bytesOf(read),
      control,
      port: entry.optional("port", port),
      ends: "both",
      read,
      write,
      receivePlace: 0,
    };
  };

  for (const stage of document.at("stages").list()) {
    const first = rounds.length;
    for (const entry of stage.at("rounds").list()) {
      if (rounds.length === mostRounds)
        throw new Refusal(`The schedule has more than ${mostRounds} rounds, too many for this page.`);
      const list = (key: string) => entry.optional(key, (reader) => reader.list()) ?? [];
      const ofRound: Message[] = [];
      const add = (made: Message) => {
        if (!made.control && made.bytes === 0) return;
        messages.push(made);
        ofRound.push(made);
      };
      const localsOfRound = list("local").map(local);
      for (const reader of list("messages")) add(message(reader, false));
      for (const reader of list("control")) add(message(reader, true));
      rounds.push({ number: rounds.length, stage: stages.length, locals: localsOfRound, messages: ofRound });
    }
    stages.push({ name: stage.at("name").text(), first, rounds: rounds.length - first });
  }
  const size = problem.blockBytes === undefined ? "" : `, ${formatBytes(problem.blockBytes)} a block`;
  const name = problem.algorithm || "a schedule";
  return {
    ...problem,
    title: `${problem.collective}, ${name}, ${plural(problem.ranks, "rank")}${size}`,
    stages,
    rounds,
    messages,
    clocks: [logicalClock(rounds, messages)],
    findings: [],
    bounds: [],
  };
}

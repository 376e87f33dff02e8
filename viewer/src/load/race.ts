// SPDX-License-Identifier: BSD-3-Clause
// Reads the JSON of `quadrille race` and `quadrille tune`.
import { plural } from "../model/format";
import type { Candidate, Race, RacedSize, RaceFacts } from "../report/race";
import { Reader, Refusal } from "./reader";

const mostEntries = 100_000;

const maybe = <T>(reader: Reader, key: string, read: (reader: Reader) => T): T | undefined =>
  reader.has(key) && reader.at(key).value !== null ? read(reader.at(key)) : undefined;

function seconds(reader: Reader): number {
  const value = reader.number();
  if (value < 0) reader.refuse("must not be negative");
  return value;
}

function readCandidate(entry: Reader): Candidate {
  const phases = ["distribute_s", "communicate_s", "collect_s"].map((key) => maybe(entry, key, (reader) => reader.number()));
  const policy = maybe(entry, "policy", (reader) => reader.text());
  const short = maybe(entry, "short_name", (reader) => reader.text()) ?? entry.at("algorithm").text();
  const words = (key: string) => maybe(entry, key, (list) => list.list().map((name) => name.text()));
  return {
    name: policy && policy !== "blocking" ? `${short}, ${policy}` : short,
    algorithm: short,
    sameAs: words("same_as_short_names") ?? words("same_as") ?? [],
    median: seconds(entry.at("median_s")),
    lower: seconds(entry.at("lower_s")),
    upper: seconds(entry.at("upper_s")),
    toBest: maybe(entry, "to_best", (ratio) => ({ lower: ratio.at("lower").number(), upper: ratio.at("upper").number() })),
    c1: maybe(entry, "c1", (reader) => reader.whole()),
    c2: maybe(entry, "c2", (reader) => reader.whole()),
    phases: phases.every((phase) => phase !== undefined) ? (phases as [number, number, number]) : undefined,
    predicted: maybe(entry, "predicted_s", seconds),
    wrong: maybe(entry, "checked", (reader) => reader.value) === false,
  };
}

function readSize(size: Reader, key: "entries" | "ways"): RacedSize {
  const entries = size.at(key).list();
  if (entries.length > mostEntries) size.refuse(`has more than ${mostEntries} candidates`);
  return {
    bytes: size.at("block_bytes").whole(),
    candidates: entries.map(readCandidate).sort((a, b) => Number(a.wrong) - Number(b.wrong) || a.median - b.median),
    conclusion: maybe(size, "conclusion", (reader) => reader.text()),
    leftOut:
      maybe(size, "left_out", (list) =>
        list.list().map((entry) => ({ name: entry.at("algorithm").text(), reason: entry.at("reason").text() })),
      ) ?? [],
  };
}

const ascending = (sizes: RacedSize[]): RacedSize[] =>
  sizes.filter((size) => size.candidates.length > 0).sort((a, b) => a.bytes - b.bytes);

function readFacts(document: Reader): RaceFacts {
  const text = (key: string) => maybe(document, key, (reader) => reader.text());
  const nodes = maybe(document, "nodes", (reader) => reader.whole(1));
  const machine = maybe(document, "machine", (entry) => {
    const count = (key: string) => maybe(entry, key, (reader) => reader.whole());
    const [cores, threads] = [count("cores"), count("threads")];
    return [
      maybe(entry, "model", (reader) => reader.text()) || "unknown processor",
      ...(cores ? [plural(cores, "core")] : []),
      ...(threads && threads !== cores ? [plural(threads, "hardware thread")] : []),
    ].join(", ");
  });
  const transport = text("transport");
  const version = text("version");
  return {
    where: [transport && `on ${transport}`, nodes && plural(nodes, "node"), text("host"), version && `quadrille ${version}`]
      .filter(Boolean)
      .join(", "),
    machine: machine ?? "not said",
    start: maybe(document, "start_unix_s", seconds),
    command: text("command"),
  };
}

export const isRace = (document: Reader): boolean => document.has("sizes") && document.has("collective");

export function readRace(document: Reader): Race {
  const ranks = document.at("ranks").whole(1);
  const sizes = ascending(
    document
      .at("sizes")
      .list()
      .map((size) => readSize(size, "entries")),
  );
  if (sizes.length === 0) throw new Refusal(`${document.place} has no measured sizes.`);
  const collective = document.at("collective").text();
  return { title: `${collective}, ${plural(ranks, "rank")}`, collective, ranks, about: readFacts(document), sizes };
}

export const isTuning = (document: Reader): boolean => document.has("cells") && document.has("collectives");

// A session has cells of several collectives; each collective and shape becomes a race.
export function readTuning(document: Reader): Race[] {
  const ranks = document.at("ranks").whole(1);
  const groups = new Map<string, { collective: string; sizes: RacedSize[] }>();
  for (const cell of document.at("cells").list()) {
    const shape = maybe(cell, "shape", (reader) => reader.text());
    const collective = cell.at("collective").text();
    const title = `${collective}${shape ? ` (${shape})` : ""}, ${plural(ranks, "rank")}`;
    const group = groups.get(title) ?? { collective, sizes: [] };
    group.sizes.push(readSize(cell, "ways"));
    groups.set(title, group);
  }
  const races = [...groups]
    .map(([title, { collective, sizes }]) => ({ title, collective, ranks, about: readFacts(document), sizes: ascending(sizes) }))
    .filter((race) => race.sizes.length > 0);
  if (races.length === 0) throw new Refusal(`${document.place} has no measured cells.`);
  return races;
}

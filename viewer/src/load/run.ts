// SPDX-License-Identifier: BSD-3-Clause
// Reads quadrille-report, the JSON of `quadrille report`.
import { formatBytes } from "../model/format";
import type { CallRow, CostlyCall, RankTime, RunReport } from "../report/run";
import { mostRanks } from "./problem";
import { Reader, Refusal } from "./reader";

const known = <T>(reader: Reader, key: string, read: (reader: Reader) => T): T | undefined =>
  reader.has(key) && reader.at(key).value !== null ? read(reader.at(key)) : undefined;

// "Alltoall, 64 B, MPI_COMM_WORLD"
function nameOf(entry: Reader, communicators: readonly string[], sizes: readonly string[]): string {
  const communicator = known(entry, "communicator", (reader) => communicators[reader.whole()]);
  const collective = entry.at("collective").text();
  const size = collective.toLowerCase().endsWith("barrier") ? [] : sizes; // it has no blocks
  return [collective, ...size, ...(communicator ? [communicator] : [])].join(", ");
}

function readRow(row: Reader, communicators: readonly string[]): CallRow {
  const [least, most] = ["least_block_bytes", "most_block_bytes"].map((key) => known(row, key, (reader) => reader.whole()));
  const size =
    least === undefined || most === undefined
      ? []
      : [least === most ? formatBytes(least) : `${formatBytes(least)} .. ${formatBytes(most)}`];
  const time = (key: string, figure: string) => known(row, key, (entry) => known(entry, figure, (reader) => reader.number()));
  const words = ["what", "why"].flatMap((key) => known(row, key, (reader) => reader.text()) ?? []);
  const passed =
    known(row, "passed", (list) =>
      list.list().map((entry) => `${entry.at("calls").whole()} calls left to the MPI library: ${entry.at("why").text()}`),
    ) ?? [];
  return {
    name: nameOf(row, communicators, size),
    calls: row.at("calls").whole(),
    oursCalls: row.at("ours_calls").whole(),
    share: row.at("share").number(),
    seconds: row.at("rank_seconds").number(),
    mostSeconds: row.at("most_seconds").number(),
    lateSeconds: time("late", "mean_s"),
    vendorSeconds: time("vendor", "median_s"),
    ourSeconds: time("ours", "median_s"),
    text: [words.join(": "), ...passed].filter(Boolean).join("; "),
  };
}

function readCostly(call: Reader, communicators: readonly string[]): CostlyCall {
  const bytes = ["block_bytes", "sent_bytes"]
    .map((key) => known(call, key, (reader) => reader.whole()))
    .find((size) => size !== undefined);
  return {
    rank: call.at("rank").whole(),
    begin: call.at("begin_s").number(),
    seconds: call.at("seconds").number(),
    collective: call.at("collective").text(),
    name: nameOf(call, communicators, bytes === undefined ? [] : [formatBytes(bytes)]),
    by: call.at("by_ours").value === true ? "Quadrille" : "the MPI library",
  };
}

const mostCostly = 100_000;

const readRank = (rank: Reader): RankTime => ({
  rank: rank.at("rank").whole(),
  host: rank.at("host").text(),
  state: rank.at("state").text(),
  seconds: rank.at("seconds").number(),
  inside: rank.at("collective_seconds").number(),
});

export function readRun(document: Reader): RunReport {
  const size = document.at("world_size").whole(1);
  const communicators = document
    .at("communicators")
    .list()
    .map((entry) => known(entry, "name", (reader) => reader.text()) ?? "a communicator");
  const traffic = known(document, "traffic_bytes", (list) => list.list().map((row) => row.wholes()));
  if (traffic && (size > mostRanks || traffic.length !== size || traffic.some((row) => row.length !== size)))
    throw new Refusal(`"traffic_bytes" of ${document.place} must have ${size} rows of ${size} numbers.`);
  const costliest = known(document, "costliest_calls", (list) => list.list()) ?? [];
  if (costliest.length > mostCostly) document.refuse(`has more than ${mostCostly} calls in "costliest_calls"`);
  return {
    program: document.at("program").text(),
    mpi: document.at("mpi").text(),
    hosts: known(document, "hosts", (list) => list.list().map((host) => host.text())) ?? [],
    start: known(document, "start_unix_s", (reader) => reader.number()),
    seconds: document.at("seconds").number(),
    share: document.at("share").number(),
    costliest: costliest.map((call) => readCostly(call, communicators)).sort((a, b) => a.rank - b.rank || a.begin - b.begin),
    ranks: document.at("ranks").list().map(readRank),
    rows: document
      .at("rows")
      .list()
      .map((row) => readRow(row, communicators))
      .sort((a, b) => b.seconds - a.seconds),
    traffic,
    lateSeconds: document.at("balance").at("late_s").number(),
  };
}

// SPDX-License-Identifier: BSD-3-Clause
// Reads quadrille-timeline/1, which `quadrille project --trace FILE.html` writes.
import { parts, type ProjectedRun, type ProjectedSide } from "../report/projection";
import { mostRanks } from "./problem";
import type { Reader } from "./reader";

const mostPieces = 1_000_000;

function readSide(side: Reader, ranks: number, names: number, details: number): ProjectedSide {
  const rank = side.at("rank").wholes(0, ranks - 1);
  const column = (key: string, least = 0, most?: number): number[] => {
    const values = side.at(key).wholes(least, most);
    if (values.length !== rank.length) side.at(key).refuse(`must have ${rank.length} entries`);
    return values;
  };
  if (rank.length > mostPieces) side.refuse(`has more than ${mostPieces} pieces`);
  const read = {
    title: side.at("title").text(),
    first: Array.from({ length: ranks + 1 }, () => 0),
    part: column("part", 0, parts.length - 1),
    name: column("name", 0, names - 1),
    detail: column("detail", 0, details - 1),
    last: column("last_rank", -1, ranks - 1),
    begin: column("begin_ns"),
    end: column("end_ns"),
  };
  for (let i = 0; i < rank.length; ++i) {
    const isNext = i === 0 || rank[i]! > rank[i - 1]! || (rank[i] === rank[i - 1] && read.begin[i]! >= read.end[i - 1]!);
    if (!isNext || read.end[i]! < read.begin[i]!) side.refuse("must have its pieces in order, without overlaps");
    ++read.first[rank[i]! + 1]!;
  }
  for (let i = 0; i < ranks; ++i) read.first[i + 1]! += read.first[i]!;
  return read;
}

export function readProjection(document: Reader): ProjectedRun {
  const ranks = document.at("ranks").whole(1, mostRanks);
  const texts = (key: string) =>
    document
      .at(key)
      .list()
      .map((entry) => entry.text());
  const [names, details] = [texts("names"), texts("details")];
  return {
    title: document.at("title").text(),
    sentence: document.at("sentence").text(),
    text: document.at("text").text(),
    ranks,
    names,
    details,
    sides: document
      .at("sides")
      .list()
      .map((side) => readSide(side, ranks, names.length, details.length)),
  };
}

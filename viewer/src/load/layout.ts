// SPDX-License-Identifier: BSD-3-Clause
// Reads the layouts of a page's data.
import type { Exchange } from "../model/exchange";
import type { Layout, Part, Place } from "../model/layout";
import { Reader } from "./reader";

function readPlaces(reader: Reader, count: number): Place[] {
  const [x, y] = ["x", "y"].map((key) =>
    reader
      .at(key)
      .list()
      .map((value) => value.number()),
  );
  if (x!.length !== count || y!.length !== count) reader.refuse(`must have ${count} places`);
  return x!.map((value, i) => ({ x: value, y: y![i]! }));
}

const readPart = (part: Reader): Part => ({
  x: part.at("x").number(),
  y: part.at("y").number(),
  width: part.at("width").number(),
  height: part.at("height").number(),
  name: part.at("name").text(),
  nameAt: { x: part.at("name_x").number(), y: part.at("name_y").number() },
  round: part.has("round"),
});

// Reads the layout of an exchange.
export function readLayout(reader: Reader, exchange: Exchange): Layout {
  const { ranks, network } = exchange;
  const vertices = network?.vertices ?? ranks;
  const switches = reader
    .at("switches")
    .list()
    .map((name) => name.text());
  if (switches.length !== vertices - ranks) reader.refuse(`must have ${vertices - ranks} names of switches`);
  const stubs = reader.at("stubs");
  const links = stubs.at("link").wholes();
  const directions = readPlaces(stubs, links.length);
  const positive = (key: string): number => {
    const value = reader.at(key).number();
    return value > 0 ? value : reader.refuse(`must have a positive "${key}"`);
  };
  return {
    width: positive("width"),
    height: positive("height"),
    radius: positive("radius"),
    stub: positive("stub"),
    places: readPlaces(reader, vertices),
    names: [...Array.from({ length: ranks }, (_, rank) => `${rank}`), ...switches],
    parts: reader.at("parts").list().map(readPart),
    stubs: new Map(links.map((link, i) => [link, directions[i]!])),
  };
}

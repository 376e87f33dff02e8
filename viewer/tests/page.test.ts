// SPDX-License-Identifier: BSD-3-Clause
// The fragment and the search.
import { expect, test } from "vitest";
import { Replay } from "../src/model/replay";
import { fromFragment, toFragment } from "../src/page/fragment";
import { find } from "../src/page/search";
import type { State } from "../src/page/state";
import { exchange } from "./schedules";

const bruck = exchange("alltoall-bruck-8");

const state: State = {
  position: 1.25,
  playing: false,
  speed: 1,
  rank: 3,
  block: { origin: 2, from: 16, bytes: 8 },
  views: ["network", "text"],
  colourBy: "target",
  sum: true,
  pace: "rounds",
  theme: "auto",
};

test("a fragment leads back to where it was made", () => {
  const { position, rank, block, views, colourBy, sum } = state;
  expect(fromFragment(toFragment(state), bruck, 3, ["memory", "text"])).toEqual({ position, rank, block, views, colourBy, sum });
});

test.each([
  "#round=x",
  "#rank=8",
  "#rank=1.5",
  "#block=1,2",
  "#block=9,0,8",
  "#block=1,-8,8",
  "#block=1,0,99999",
  "#block=1,60,8",
  "#views=a,b",
  "#",
  "",
  "#%",
])("%s says nothing", (fragment) => expect(fromFragment(fragment, bruck, 3, ["memory", "text"])).toEqual({}));

test("a fragment that nearly fits gives what is nearest", () => {
  const of = (fragment: string) => fromFragment(fragment, bruck, 3, ["memory", "text"]);
  expect(of("#round=6")).toEqual({ position: 3 });
  expect(of("#round=-3")).toEqual({ position: 0 });
  expect(of("#views=time")).toEqual({ views: ["time", "text"] });
});

test("search", () => {
  const of = exchange("alltoall-bruck-8");
  const replay = new Replay(of);
  expect(find("5", of, replay)).toEqual({ rank: 5 });
  expect(find(" rank 7 ", of, replay)).toEqual({ rank: 7 });
  expect(find("round 2", of, replay)).toEqual({ position: 2 });
  expect(find("2>7", of, replay)).toEqual({ block: { origin: 2, from: 56, bytes: 8 } });
  expect(find("LEVEL 1", of, replay)).toEqual({ position: 1 });
  for (const wrong of ["8", "round 3", "1>8", "nothing", ""]) expect(find(wrong, of, replay)).toMatch(/\.$/);
});

// SPDX-License-Identifier: BSD-3-Clause
// The fragment of the page's address says which round, rank, block and views are shown: "#round=2.5&rank=3&block=0,40,8&views=memory,text".
import type { Exchange } from "../model/exchange";
import { type State, type ViewName, viewNames } from "./state";

export function toFragment(state: Readonly<State>): string {
  const parts = [`round=${Number(state.position.toFixed(3))}`];
  if (state.rank !== undefined) parts.push(`rank=${state.rank}`);
  if (state.block) parts.push(`block=${state.block.origin},${state.block.from},${state.block.bytes}`);
  parts.push(`views=${state.views.join()}`);
  if (state.colourBy !== "origin") parts.push(`colour=${state.colourBy}`);
  if (state.sum) parts.push("sum=1");
  if (state.pace !== "rounds") parts.push(`pace=${state.pace}`);
  return `#${parts.join("&")}`;
}

const wholes = (text: string | null): number[] => (text === null ? [] : text.split(",").map(Number));
const isIn = (value: number | undefined, least: number, most: number): value is number =>
  value !== undefined && Number.isFinite(value) && value >= least && value <= most;

// What a fragment says, as far as it fits an exchange. A round beyond the ends gives the nearer end, and a single view is the left one,
// beside the right one of `shown`. Everything else is ignored.
export function fromFragment(
  fragment: string,
  exchange: Exchange,
  rounds: number,
  shown: readonly [ViewName, ViewName],
  paces: readonly string[] = [],
): Partial<State> {
  const { ranks, buffers } = exchange;
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const change: Partial<State> = {};
  const [position] = wholes(given.get("round"));
  if (isIn(position, -Infinity, Infinity)) change.position = Math.max(0, Math.min(rounds, position));
  const [rank] = wholes(given.get("rank"));
  if (isIn(rank, 0, ranks - 1) && Number.isInteger(rank)) change.rank = rank;
  const [origin, from, bytes] = wholes(given.get("block"));
  if (
    isIn(origin, 0, ranks - 1) &&
    isIn(from, 0, Infinity) &&
    isIn(bytes, 1, buffers[0][origin]! - from) &&
    [origin, from, bytes].every(Number.isSafeInteger)
  )
    change.block = { origin, from, bytes };
  const views = (given.get("views") ?? "")
    .split(",")
    .filter((name): name is ViewName => (viewNames as readonly string[]).includes(name));
  if (views.length > 0) change.views = [views[0]!, views[1] ?? shown[1]];
  if (given.get("colour") === "target") change.colourBy = "target";
  if (given.get("sum") === "1") change.sum = true;
  if (paces.includes(given.get("pace") ?? "")) change.pace = given.get("pace")!;
  return change;
}

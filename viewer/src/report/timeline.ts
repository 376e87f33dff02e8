// SPDX-License-Identifier: BSD-3-Clause
// The timeline of a run: when its costliest calls happened, a row for each rank.
import { scaleLinear } from "d3-scale";
import { formatTime } from "../model/format";
import { colours, font, type Look } from "../views/look";
import { labelStep } from "../views/view";
import type { CostlyCall } from "./run";

const [left, right, top, bottom] = [46, 14, 26, 22];
const leastBar = 2;

// Colours of collectives, by name.
function coloursOf(calls: readonly CostlyCall[]): Map<string, string> {
  const names = [...new Set(calls.map((call) => call.collective))].sort();
  const palette = colours(names.length);
  return new Map(names.map((name, i) => [name, palette[i]!]));
}

export const ranksOf = (calls: readonly CostlyCall[]): number[] =>
  [...new Set(calls.map((call) => call.rank))].sort((a, b) => a - b);

export const timelineHeight = (ranks: number): number => top + bottom + Math.min(420, Math.max(40, 16 * ranks));

export function drawTimeline(
  canvas: CanvasRenderingContext2D,
  calls: readonly CostlyCall[],
  seconds: number,
  look: Look,
  width: number,
  height: number,
): void {
  const ranks = ranksOf(calls);
  const colourOf = coloursOf(calls);
  const rowOf = new Map(ranks.map((rank, i) => [rank, i]));
  const row = (height - top - bottom) / ranks.length;
  const end = Math.max(seconds, ...calls.map((call) => call.begin + call.seconds));
  const x = scaleLinear([0, end], [left, width - right]);
  canvas.font = font(11);
  canvas.textBaseline = "middle";
  canvas.fillStyle = look.muted;
  const every = labelStep(12, row);
  ranks.forEach((rank, i) => {
    canvas.fillStyle = look.slot;
    canvas.fillRect(left, top + i * row, width - left - right, Math.max(1, row - 1));
    canvas.fillStyle = look.muted;
    canvas.textAlign = "right";
    if (i % every === 0) canvas.fillText(`${rank}`, left - 6, top + (i + 0.5) * row);
  });
  for (const call of calls) {
    canvas.fillStyle = colourOf.get(call.collective)!;
    const [from, to] = [x(call.begin), x(call.begin + call.seconds)];
    canvas.fillRect(from, top + rowOf.get(call.rank)! * row, Math.max(leastBar, to - from), Math.max(1, row - 1));
  }
  canvas.textAlign = "center";
  for (const tick of x.ticks(8)) {
    canvas.fillStyle = look.muted;
    canvas.fillRect(x(tick), height - bottom, 1, 4);
    canvas.fillText(formatTime(tick * 1e9, "ns"), Math.min(x(tick), width - 20), height - bottom + 12);
  }
  canvas.textAlign = "left";
  let at = left;
  for (const [name, colour] of colourOf) {
    canvas.fillStyle = colour;
    canvas.fillRect(at, 6, 10, 10);
    canvas.fillStyle = look.text;
    canvas.fillText(name, at + 14, 11);
    at += 26 + canvas.measureText(name).width;
  }
}

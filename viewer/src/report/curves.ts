// SPDX-License-Identifier: BSD-3-Clause
// Curves of a race: the time of each candidate over the size of a block, with the interval at each measured size. Both axes are
// logarithmic. Lines only lead from one measured size to the next; nothing is said of the sizes between them.
import { scaleLog } from "d3-scale";
import { formatBytes, formatTime } from "../model/format";
import { font, type Look } from "../views/look";
import { shortened } from "../views/shortened";
import { commonLabel, type Race } from "./race";

export const mostCurves = 8;
const nanoseconds = 1e9;
const [left, right, top, bottom] = [64, 210, 12, 34];
const lineHeight = 14;

// Moves texts that stand at these heights apart, and keeps them above `lowest` as far as there is room.
export function apart(heights: readonly number[], lowest: number): number[] {
  const order = heights.map((_, i) => i).sort((a, b) => heights[a]! - heights[b]!);
  const placed = [...heights];
  order.forEach((i, k) => {
    if (k > 0) placed[i] = Math.max(placed[i]!, placed[order[k - 1]!]! + lineHeight);
  });
  order.reverse().forEach((i, k) => {
    placed[i] = Math.min(placed[i]!, k === 0 ? lowest : placed[order[k - 1]!]! - lineHeight);
  });
  return placed;
}

interface Point {
  readonly x: number;
  readonly y: number;
  readonly lower: number;
  readonly upper: number;
}

function drawCurve(canvas: CanvasRenderingContext2D, points: readonly Point[]): void {
  canvas.lineWidth = 1.5;
  canvas.globalAlpha = 0.7;
  canvas.beginPath();
  points.forEach((point) => canvas.lineTo(point.x, point.y));
  canvas.stroke();
  canvas.globalAlpha = 1;
  for (const { x, y, lower, upper } of points) {
    canvas.fillRect(x - 0.75, upper, 1.5, lower - upper);
    for (const end of [lower, upper]) canvas.fillRect(x - 4, end - 0.75, 8, 1.5);
    canvas.beginPath();
    canvas.arc(x, y, 3, 0, 2 * Math.PI);
    canvas.fill();
  }
}

function drawAxes(
  canvas: CanvasRenderingContext2D,
  race: Race,
  x: (bytes: number) => number,
  y: { (seconds: number): number; ticks(count: number): number[] },
  look: Look,
  width: number,
  height: number,
): void {
  canvas.textBaseline = "middle";
  canvas.font = font(11);
  canvas.lineWidth = 1;
  for (const tick of y.ticks(5)) {
    const label = Number.isInteger(Math.round(Math.log10(tick) * 1e6) / 1e6);
    canvas.strokeStyle = label ? look.line : look.slot;
    canvas.beginPath();
    canvas.moveTo(left, y(tick));
    canvas.lineTo(width - right, y(tick));
    canvas.stroke();
    if (!label) continue;
    canvas.textAlign = "right";
    canvas.fillStyle = look.muted;
    canvas.fillText(formatTime(tick * nanoseconds, "ns"), left - 6, y(tick));
  }
  canvas.textAlign = "center";
  canvas.fillStyle = look.muted;
  let free = -Infinity;
  for (const { bytes } of race.sizes) {
    const text = formatBytes(bytes);
    const [at, half] = [x(Math.max(1, bytes)), canvas.measureText(text).width / 2];
    canvas.fillRect(at - 0.5, height - bottom, 1, 4);
    if (at - half < free) continue;
    canvas.fillText(text, at, height - bottom + 14);
    free = at + half + 8;
  }
}

export function drawCurves(
  canvas: CanvasRenderingContext2D,
  race: Race,
  colourOf: ReadonlyMap<string, string>,
  look: Look,
  width: number,
  height: number,
): void {
  const bytes = race.sizes.map((size) => Math.max(1, size.bytes));
  const times = race.sizes
    .flatMap((size) => size.candidates.flatMap((candidate) => [candidate.lower, candidate.upper]))
    .filter((time) => time > 0);
  if (times.length === 0) return;
  const x = scaleLog([bytes[0]!, Math.max(bytes.at(-1)!, bytes[0]! * 2)], [left + 8, width - right - 8]);
  const y = scaleLog([Math.min(...times), Math.max(...times)], [height - bottom, top]).nice();
  drawAxes(canvas, race, x, y, look, width, height);
  const curves = [...colourOf].flatMap(([name, colour]) => {
    const points = race.sizes.flatMap((size, i) => {
      const found = size.candidates.find((candidate) => candidate.name === name);
      return found && found.lower > 0
        ? [{ x: x(bytes[i]!), y: y(found.median), lower: y(found.lower), upper: y(found.upper) }]
        : [];
    });
    return points.length ? [{ name, colour, points }] : [];
  });
  const names = apart(
    curves.map(({ points }) => points.at(-1)!.y),
    height - bottom,
  );
  curves.forEach(({ name, colour, points }, i) => {
    canvas.fillStyle = canvas.strokeStyle = colour;
    drawCurve(canvas, points);
    // The name stands at the right; a line leads to it from the end of the curve.
    const end = points.at(-1)!;
    canvas.globalAlpha = 0.4;
    canvas.lineWidth = 1;
    canvas.beginPath();
    canvas.moveTo(end.x + 5, end.y);
    canvas.lineTo(width - right + 12, names[i]!);
    canvas.stroke();
    canvas.globalAlpha = 1;
    canvas.fillRect(width - right + 14, names[i]! - 4, 8, 8);
    canvas.fillStyle = look.text;
    canvas.textAlign = "left";
    canvas.font = font(12, 600);
    // The tables have whole names.
    canvas.fillText(shortened(canvas, commonLabel(race, name), right - 28), width - right + 26, names[i]!);
  });
}

// SPDX-License-Identifier: BSD-3-Clause
// Curves of a race: the time of each candidate over the size of a block, with its interval. Both axes are logarithmic.
import { scaleLog } from "d3-scale";
import { formatBytes, formatTime } from "../model/format";
import { font, type Look } from "../views/look";
import type { Race } from "./race";

export const mostCurves = 8;
const nanoseconds = 1e9;

export function drawCurves(
  canvas: CanvasRenderingContext2D,
  race: Race,
  colourOf: ReadonlyMap<string, string>,
  chosen: number,
  look: Look,
  width: number,
  height: number,
): void {
  const [left, right, top, bottom] = [70, 150, 20, 36];
  const bytes = race.sizes.map((size) => Math.max(1, size.bytes));
  const times = race.sizes
    .flatMap((size) => size.candidates.flatMap((candidate) => [candidate.lower, candidate.upper]))
    .filter((time) => time > 0);
  if (times.length === 0) return;
  const x = scaleLog([bytes[0]!, Math.max(bytes.at(-1)!, bytes[0]! * 2)], [left, width - right]);
  const y = scaleLog([Math.min(...times), Math.max(...times)], [height - bottom, top]).nice();
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
  race.sizes.forEach((size, i) => {
    canvas.fillStyle = i === chosen ? look.accent : look.muted;
    canvas.font = font(11, i === chosen ? 700 : 400);
    canvas.fillText(formatBytes(size.bytes), x(bytes[i]!), height - bottom + 16);
    if (i === chosen) canvas.fillRect(x(bytes[i]!) - 0.5, top, 1, height - bottom - top);
  });
  canvas.textAlign = "left";
  const ends: number[] = [];
  for (const [name, colour] of colourOf) {
    const points = race.sizes.flatMap((size, i) => {
      const found = size.candidates.find((candidate) => candidate.name === name);
      return found && found.lower > 0
        ? [{ x: x(bytes[i]!), y: y(found.median), lower: y(found.lower), upper: y(found.upper) }]
        : [];
    });
    if (points.length === 0) continue;
    canvas.fillStyle = canvas.strokeStyle = colour;
    canvas.globalAlpha = 0.18;
    canvas.beginPath();
    points.forEach((point) => canvas.lineTo(point.x, point.upper));
    [...points].reverse().forEach((point) => canvas.lineTo(point.x, point.lower));
    canvas.fill();
    canvas.globalAlpha = 1;
    canvas.lineWidth = 2;
    canvas.beginPath();
    points.forEach((point) => canvas.lineTo(point.x, point.y));
    canvas.stroke();
    for (const point of points) {
      canvas.fillRect(point.x - 0.75, point.upper, 1.5, point.lower - point.upper);
      canvas.beginPath();
      canvas.arc(point.x, point.y, 3.5, 0, 2 * Math.PI);
      canvas.fill();
    }
    // The name stands at the end of its curve, and moves down where another one stands.
    let at = points.at(-1)!.y;
    while (ends.some((other) => Math.abs(other - at) < 14)) at += 14;
    ends.push(at);
    canvas.font = font(12, 600);
    canvas.fillText(name, points.at(-1)!.x + 10, at, right - 14);
  }
}

// SPDX-License-Identifier: BSD-3-Clause
// The traffic view: who sends how much to whom, in a round or in all rounds until now.
import type { Exchange } from "../model/exchange";
import { formatBytes, plural } from "../model/format";
import { HeatScale } from "./heat";
import { font, ink } from "./look";
import { drawStill } from "./still";
import { type CanvasView, type Frame, labelStep, remembered } from "./view";

// Bytes from each rank to each rank in rounds first .. last.
export const matrix = remembered((exchange: Exchange, first: number, last: number): Float64Array => {
  const sums = new Float64Array(exchange.ranks ** 2);
  for (const round of exchange.rounds.slice(first, last + 1))
    for (const message of round.messages) sums[message.from * exchange.ranks + message.to]! += message.bytes;
  return sums;
});

const range = (frame: Frame): [number, number] => [
  frame.sum ? 0 : frame.round,
  Math.min(frame.round, frame.exchange.rounds.length - 1),
];

function geometry(frame: Frame): { left: number; top: number; cell: number } {
  const { ranks } = frame.exchange;
  const cell = Math.min(44, (frame.width - 70) / ranks, (frame.height - 84) / ranks);
  return { left: Math.max(46, (frame.width - cell * ranks) / 2), top: 44, cell };
}

const rangeText = (frame: Frame): string => {
  const [first, last] = range(frame);
  if (last < 0) return "no rounds";
  return first === last ? `round ${last}` : `rounds ${first} to ${last}`;
};

const short = (bytes: number): string =>
  formatBytes(bytes)
    .replace(" B", "")
    .replace(/ ([KMGT])iB/, "$1");

function drawMatrix(canvas: CanvasRenderingContext2D, frame: Frame): void {
  const { exchange, look, selection } = frame;
  const { ranks } = exchange;
  const { left, top, cell } = geometry(frame);
  const sums = matrix(exchange, ...range(frame));
  const scale = new HeatScale(sums);
  canvas.fillStyle = look.slot;
  canvas.fillRect(left, top, cell * ranks, cell * ranks);
  canvas.textAlign = "center";
  canvas.textBaseline = "middle";
  const gap = cell > 6 ? 1 : 0;
  for (let i = 0; i < ranks; ++i)
    for (let j = 0; j < ranks; ++j) {
      const bytes = sums[i * ranks + j]!;
      if (bytes === 0) continue;
      const colour = scale.colour(bytes);
      canvas.fillStyle = colour;
      const [x1, x2, y1, y2] = [left + j * cell, left + (j + 1) * cell, top + i * cell, top + (i + 1) * cell].map(Math.round) as [
        number,
        number,
        number,
        number,
      ];
      canvas.fillRect(x1, y1, Math.max(1, x2 - x1 - gap), Math.max(1, y2 - y1 - gap));
      if (cell < 20) continue;
      canvas.fillStyle = ink(colour);
      canvas.font = font(Math.min(12, cell / 2.6));
      canvas.fillText(short(bytes), left + (j + 0.5) * cell, top + (i + 0.5) * cell, cell - 3);
    }
  const every = labelStep(ranks > 99 ? 26 : 17, cell);
  canvas.font = font(11);
  for (let rank = 0; rank < ranks; ++rank) {
    const chosen = rank === selection.rank;
    if (rank % every !== 0 && !chosen) continue;
    canvas.fillStyle = chosen ? look.accent : look.muted;
    canvas.fillText(`${rank}`, left - 12, top + (rank + 0.5) * cell);
    canvas.fillText(`${rank}`, left + (rank + 0.5) * cell, top - 9);
  }
  if (selection.rank !== undefined) {
    canvas.strokeStyle = look.accent;
    canvas.lineWidth = 1.5;
    canvas.strokeRect(left, top + selection.rank * cell, ranks * cell, cell);
    canvas.strokeRect(left + selection.rank * cell, top, cell, ranks * cell);
  }
  canvas.textAlign = "left";
  canvas.font = font(12, 600);
  canvas.fillStyle = look.text;
  canvas.fillText(`${rangeText(frame)}: bytes from a rank (row) to a rank (column)`, 10, 14, frame.width - 16);
  scale.draw(canvas, look, 10, top + cell * ranks + 18, frame.width - 20);
}

export const traffic: CanvasView = {
  name: "traffic",
  draw: (canvas, frame) =>
    drawStill(canvas, frame, "traffic", [...range(frame), frame.selection.rank], (still) => drawMatrix(still, frame)),
  pick(frame, x, y) {
    const { left, top, cell } = geometry(frame);
    const [from, to] = [Math.floor((y - top) / cell), Math.floor((x - left) / cell)];
    const { ranks } = frame.exchange;
    if (from < 0 || from >= ranks || to >= ranks || x < left - 30) return undefined;
    if (to < 0) return { text: `rank ${from}`, selection: { rank: from } };
    const bytes = matrix(frame.exchange, ...range(frame))[from * ranks + to]!;
    return { text: `rank ${from} to ${to}: ${formatBytes(bytes)} in ${rangeText(frame)}`, selection: { rank: from } };
  },
  describe(frame) {
    const sums = matrix(frame.exchange, ...range(frame));
    const pairs = sums.reduce((count, bytes) => count + (bytes > 0 ? 1 : 0), 0);
    return `Traffic in ${rangeText(frame)}: ${plural(pairs, "pair")} of ranks exchange data, the most is ${formatBytes(sums.reduce((a, b) => Math.max(a, b), 0))}.`;
  },
};

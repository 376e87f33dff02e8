// SPDX-License-Identifier: BSD-3-Clause
// The memory view: every rank's blocks, which move to their next places during a round.
import type { Clue } from "../model/clue";
import { type Buffer, bufferNames } from "../model/exchange";
import { buffersPerRank, type Replay } from "../model/replay";
import { formatBytes, plural } from "../model/format";
import { font } from "./look";
import { drawDense, type Shown } from "./memory_dense";
import { clueRuleOf, colourIndex, isFollowed, label, palette, sentence } from "./memory_colours";
import { type Box, flightBox, memoryLayout, type MemoryLayout, placeAt, sectionOf, yOf } from "./memory_layout";
import { type CanvasView, type Frame, labelStep, type Pick, phaseOf, remembered, smooth } from "./view";

export const movesOf = remembered((replay: Replay, round: number) => replay.moves(round));

// What lies in memory at a frame, and what is on its way.
export function shown(frame: Frame): Shown {
  const { replay, round, share } = frame;
  if (round >= replay.rounds || share === 0) return { state: replay.before(Math.min(round, replay.rounds)), moves: [], share: 0 };
  const step = replay.step(round);
  const phase = phaseOf(frame);
  const moves = movesOf(replay, round);
  return phase.kind === "locals"
    ? { state: step.before, moves: moves.locals, share: smooth(phase.share) }
    : { state: step.copied, moves: moves.messages, share: smooth(phase.share) };
}

function box(layout: MemoryLayout, rank: number, buffer: Buffer, offset: number, bytes: number): Box | undefined {
  const section = sectionOf(layout, buffer);
  if (!section) return undefined;
  const y = yOf(section, offset);
  return { x: layout.lefts[rank]!, y, width: layout.column, height: yOf(section, offset + bytes) - y };
}

function drawCell(
  canvas: CanvasRenderingContext2D,
  frame: Frame,
  at: Box,
  content: number,
  from: number,
  bytes: number,
  rank: number, // where it lies; -1 while it moves
): void {
  const followed = isFollowed(frame, content, from, bytes);
  const { plain, faint } = palette(frame.exchange.ranks, frame.look, frame.replay.combines);
  const paint = (frame.selection.block && !followed ? faint : plain)[colourIndex(frame, content, from)] ?? plain[0]!;
  const inset = Math.min(1, at.height / 8);
  canvas.fillStyle = paint.fill;
  canvas.beginPath();
  canvas.roundRect(
    at.x + inset,
    at.y + inset,
    at.width - 2 * inset,
    Math.max(1, at.height - 2 * inset),
    Math.min(4, at.height / 4),
  );
  canvas.fill();
  if (followed || (rank < 0 && !frame.selection.block && at.height >= 6)) {
    canvas.lineWidth = followed ? 2.5 : 1.25;
    canvas.strokeStyle = followed ? frame.look.accent : frame.look.text;
    canvas.stroke();
  }
  if (at.height < 11 || at.width < 13) return;
  canvas.font = font(Math.min(13, at.height - 3, at.width / 2.6), followed ? 700 : 400);
  canvas.fillStyle = paint.ink;
  const clue = at.width >= roomOfClue && rank >= 0 ? clueAt(frame, rank, content, from) : undefined;
  const text = label(frame, content, from, at.width >= 28);
  if (!clue) return canvas.fillText(text, at.x + at.width / 2, at.y + at.height / 2 + 0.5, at.width - 3);
  canvas.fillText(text, at.x + at.width * 0.3, at.y + at.height / 2 + 0.5, at.width * 0.52);
  drawClue(canvas, clue, at);
}

const roomOfClue = 58; // the width from which cells show what decides their way

function clueAt(frame: Frame, rank: number, content: number, from: number): Clue | undefined {
  const { exchange, replay } = frame;
  const target = replay.combines ? -1 : replay.parts.target(content, from);
  return clueRuleOf(exchange)?.({ rank, origin: content, target }, exchange.rounds[frame.round]);
}

// On the right of a cell; what the round decides is bold and underlined.
function drawClue(canvas: CanvasRenderingContext2D, { parts }: Clue, at: Box): void {
  const size = Math.min(12, at.height - 4);
  const y = at.y + at.height / 2 + 0.5;
  let x = at.x + at.width - 5;
  canvas.textAlign = "right";
  for (const { text, current } of [...parts].reverse()) {
    canvas.font = font(size, current ? 800 : 400);
    canvas.fillText(text, x, y);
    const { width } = canvas.measureText(text);
    if (current) canvas.fillRect(x - width, y + size / 2, width, 1.5);
    x -= width + 1;
  }
  canvas.textAlign = "center";
}

function drawFrame(canvas: CanvasRenderingContext2D, frame: Frame, layout: MemoryLayout): void {
  const { look, exchange, selection } = frame;
  canvas.textAlign = "center";
  canvas.textBaseline = "middle";
  const every = labelStep(exchange.ranks > 99 ? 30 : 20, layout.column);
  for (let rank = 0; rank < exchange.ranks; ++rank) {
    const chosen = rank === selection.rank;
    if (rank % every !== 0 && !chosen) continue;
    canvas.font = font(12, chosen ? 700 : 400);
    canvas.fillStyle = chosen ? look.accent : look.muted;
    canvas.fillText(every === 1 && layout.column > 58 ? `rank ${rank}` : `${rank}`, layout.lefts[rank]! + layout.column / 2, 14);
  }
  canvas.textAlign = "left";
  canvas.font = font(12, 600);
  canvas.fillStyle = look.text;
  for (const section of layout.sections) canvas.fillText(section.name, layout.left, section.top - 11);
  if (selection.rank !== undefined) {
    canvas.strokeStyle = look.accent;
    canvas.lineWidth = 1.5;
    canvas.strokeRect(layout.lefts[selection.rank]! - 1, layout.top, layout.column + 2, layout.bottom - layout.top + 3);
  }
  canvas.textAlign = "center";
}

function drawSlots(canvas: CanvasRenderingContext2D, frame: Frame, layout: MemoryLayout): void {
  canvas.fillStyle = frame.look.slot;
  for (let rank = 0; rank < frame.exchange.ranks; ++rank)
    for (const section of layout.sections) {
      const bytes = frame.exchange.buffers[section.buffer][rank]!;
      if (bytes > 0) canvas.fillRect(layout.lefts[rank]! + 1, section.top, layout.column - 2, yOf(section, bytes) - section.top);
    }
}

// The way of the followed block, as lines between its places; rounds to come are dotted.
function drawWay(canvas: CanvasRenderingContext2D, frame: Frame, layout: MemoryLayout): void {
  if (!frame.way) return;
  canvas.strokeStyle = frame.look.accent;
  canvas.lineWidth = 1.5;
  frame.way.moves.forEach((moves, round) => {
    canvas.setLineDash(round < frame.position ? [] : [2, 4]);
    for (const move of moves) {
      const a = box(layout, move.fromRank, move.source.buffer, move.source.offset, move.source.bytes);
      const b = box(layout, move.toRank, move.target.buffer, move.target.offset, move.target.bytes);
      if (!a || !b) continue;
      const [x1, y1, x2, y2] = [a.x + a.width / 2, a.y + a.height / 2, b.x + b.width / 2, b.y + b.height / 2];
      canvas.beginPath();
      canvas.moveTo(x1, y1);
      canvas.quadraticCurveTo((x1 + x2) / 2 + (y2 - y1) * 0.08, (y1 + y2) / 2 - (x2 - x1) * 0.08, x2, y2);
      canvas.stroke();
    }
  });
  canvas.setLineDash([]);
}

// Cells that the next messages take with them have a mark in the corner.
function drawMarks(canvas: CanvasRenderingContext2D, frame: Frame, layout: MemoryLayout): void {
  if (frame.share > 0 || frame.round >= frame.replay.rounds) return;
  canvas.fillStyle = frame.selection.block ? frame.look.text : "#000000"; // behind a selection cells are as dark as the page
  for (const move of movesOf(frame.replay, frame.round).messages) {
    const at = box(layout, move.fromRank, move.source.buffer, move.source.offset, move.source.bytes);
    if (!at || at.height < 9 || at.width < 14) continue;
    const size = Math.min(6, at.height / 3);
    canvas.beginPath();
    canvas.moveTo(at.x + at.width - 2, at.y + 2);
    canvas.lineTo(at.x + at.width - 2 - size, at.y + 2);
    canvas.lineTo(at.x + at.width - 2, at.y + 2 + size);
    canvas.fill();
  }
}

function drawCells(canvas: CanvasRenderingContext2D, frame: Frame, layout: MemoryLayout): void {
  const { state, moves, share } = shown(frame);
  [canvas.textAlign, canvas.textBaseline] = ["center", "middle"];
  drawSlots(canvas, frame, layout);
  for (let rank = 0; rank < frame.exchange.ranks; ++rank)
    for (const section of layout.sections)
      for (const piece of state[buffersPerRank * rank + section.buffer]!) {
        const at = box(layout, rank, section.buffer, piece.at, piece.bytes)!;
        drawCell(canvas, frame, at, piece.content, piece.from, piece.bytes, rank);
      }
  drawMarks(canvas, frame, layout);
  for (const move of moves) {
    const a = box(layout, move.fromRank, move.source.buffer, move.source.offset, move.source.bytes);
    const b = box(layout, move.toRank, move.target.buffer, move.target.offset, move.target.bytes);
    if (!a || !b) continue;
    drawCell(canvas, frame, flightBox(a, b, share), move.content, move.from, move.source.bytes, -1);
  }
}

// The lines of a mark, as in the pictures of `quadrille draw --as blocks`: missing bytes, which have no label, have a diagonal; of foreign
// bytes the upper corners are cut, beside the label.
export function faultMarks({ x, y, width, height }: Box, missing: boolean): [number, number, number, number][] {
  const [right, bottom] = [x + width - 1, y + height - 1];
  if (missing) return [[x + 1, bottom, right, y + 1]];
  const cut = Math.min(7, width / 6, height / 4);
  return [
    [x + 1 + cut, y + 1, x + 1, y + 1 + cut],
    [right - cut, y + 1, right, y + 1 + cut],
  ];
}

function drawFaults(canvas: CanvasRenderingContext2D, frame: Frame, layout: MemoryLayout): void {
  if (frame.position < frame.replay.rounds) return;
  canvas.strokeStyle = frame.look.wrong;
  canvas.lineWidth = 2;
  for (const fault of frame.replay.faults()) {
    const at = box(layout, fault.rank, 1, fault.at, fault.bytes);
    if (!at) continue;
    if (fault.missing) canvas.setLineDash([4, 3]);
    canvas.strokeRect(at.x + 1, at.y + 1, at.width - 2, Math.max(1, at.height - 2));
    canvas.setLineDash([]);
    if (layout.dense) continue;
    canvas.beginPath();
    for (const [x1, y1, x2, y2] of faultMarks(at, fault.missing)) {
      canvas.moveTo(x1, y1);
      canvas.lineTo(x2, y2);
    }
    canvas.stroke();
  }
}

// Where the round sends the block that lies at a place, while its cell has the mark for it.
function markedTarget(frame: Frame, rank: number, buffer: Buffer, offset: number): number | undefined {
  if (frame.share > 0 || frame.round >= frame.replay.rounds) return undefined;
  return movesOf(frame.replay, frame.round).messages.find(
    ({ fromRank, source }) => fromRank === rank && source.buffer === buffer && source.offset === offset,
  )?.toRank;
}

function pick(frame: Frame, x: number, y: number): Pick | undefined {
  const place = placeAt(memoryLayout(frame.exchange, frame.width, frame.height), x, y);
  if (!place) return undefined;
  const { rank, section, offset } = place;
  if (!section) return { text: `rank ${rank}`, selection: { rank } };
  const { state } = shown(frame);
  const piece = state[buffersPerRank * rank + section.buffer]!.find(
    (entry) => offset >= entry.at && offset < entry.at + entry.bytes,
  );
  const where = `rank ${rank}, ${section.name}`;
  if (!piece) return { text: `${where}: nothing yet`, selection: { rank } };
  const origin = frame.replay.contents.at(piece.content).operands[0]!;
  const part = frame.replay.parts.byTarget
    ? frame.replay.parts.block(origin, frame.replay.parts.index(origin, piece.from))
    : undefined;
  const target = markedTarget(frame, rank, section.buffer, piece.at);
  const marked = target === undefined ? "" : `; marked: goes to rank ${target} in this round`;
  const clue = clueAt(frame, rank, piece.content, piece.from);
  return {
    text: `${where}[${piece.at}:${piece.bytes}]: ${sentence(frame, piece.content, piece.from)}${marked}${clue ? `; ${clue.sentence}` : ""}`,
    selection: { rank, block: part ?? { origin, from: piece.from, bytes: piece.bytes } },
  };
}

export const memory: CanvasView = {
  name: "memory",
  draw(canvas, frame) {
    const layout = memoryLayout(frame.exchange, frame.width, frame.height);
    if (layout.sections.length === 0) {
      canvas.fillStyle = frame.look.muted;
      canvas.font = font(14);
      canvas.fillText("This collective moves no data; see the views of the network and of the time.", 16, 40);
      return;
    }
    if (layout.dense) drawDense(canvas, frame, layout, shown(frame));
    else drawCells(canvas, frame, layout);
    drawFrame(canvas, frame, layout);
    drawWay(canvas, frame, layout);
    drawFaults(canvas, frame, layout);
  },
  pick,
  describe(frame) {
    const { rank } = frame.selection;
    const sizes = frame.exchange.buffers.map((all, i) => `${bufferNames[i]} ${formatBytes(Math.max(0, ...all))}`).join(", ");
    const general = `Memory of ${plural(frame.exchange.ranks, "rank")}: ${sizes}.`;
    if (rank === undefined || frame.exchange.ranks > 32) return general;
    const output = frame.replay.before(Math.min(frame.round, frame.replay.rounds))[buffersPerRank * rank + 1]!;
    return `${general} Output of rank ${rank}: ${output.map((piece) => sentence(frame, piece.content, piece.from)).join(", ") || "nothing yet"}.`;
  },
};

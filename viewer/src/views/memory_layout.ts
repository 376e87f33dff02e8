// SPDX-License-Identifier: BSD-3-Clause
// Where the memory view places buffers: a column for each rank, one section for each buffer, offsets downwards.
import { type Buffer, bufferNames, type Exchange } from "../model/exchange";
import { Parts } from "../model/blocks";
import { remembered } from "./view";

export interface Section {
  readonly buffer: Buffer;
  readonly name: string;
  readonly top: number;
  readonly height: number;
  readonly bytes: number; // of the largest one
}

export interface MemoryLayout {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly column: number; // width
  readonly lefts: readonly number[]; // of the columns
  readonly sections: readonly Section[];
  readonly dense: boolean; // too small for borders and labels
}

const widestColumn = 92;
const tallestCell = 30;
const gap = 26; // above a section, for its name
const head = 24; // for the numbers of the ranks

const mostPieces = 64; // of a vector

// Cells that the tallest buffer has: blocks, or the pieces in which messages carry a vector.
function cells(exchange: Exchange): number {
  const most = Math.max(...exchange.buffers.map((sizes) => Math.max(0, ...sizes)));
  if (new Parts(exchange).byTarget) return Math.max(1, most / (exchange.blockBytes || most / exchange.ranks || 1));
  let smallest = most;
  for (const message of exchange.messages) for (const region of message.read) smallest = Math.min(smallest, region.bytes);
  return Math.max(1, Math.min(mostPieces, most / Math.max(1, smallest)));
}

export const memoryLayout = remembered((exchange: Exchange, width: number, height: number): MemoryLayout => {
  const { ranks, nodes } = exchange;
  const margin = 12;
  const breaks = nodes ? nodes.filter((node, i) => i > 0 && node !== nodes[i - 1]).length : 0;
  const space = width - 2 * margin;
  const nodeGap = breaks ? Math.min(14, (space * 0.15) / breaks) : 0;
  const column = Math.min(widestColumn, (space - breaks * nodeGap) / ranks);
  const used = column * ranks + breaks * nodeGap;
  const left = (width - used) / 2;
  let x = left;
  const lefts = Array.from({ length: ranks }, (_, rank) => {
    if (nodes && rank > 0 && nodes[rank] !== nodes[rank - 1]) x += nodeGap;
    x += column;
    return x - column;
  });
  const sizes = exchange.buffers.map((all) => Math.max(0, ...all));
  const shown = ([0, 1, 2] as Buffer[]).filter((buffer) => sizes[buffer]! > 0);
  const total = shown.reduce<number>((sum, buffer) => sum + sizes[buffer]!, 0);
  const room = Math.max(20, height - head - shown.length * gap - 6);
  const most = Math.max(...sizes, 1);
  const scale = Math.min(room / Math.max(total, 1), (cells(exchange) * tallestCell) / most);
  let y = head;
  const sections = shown.map((buffer) => {
    y += gap;
    const section = { buffer, name: bufferNames[buffer], top: y, height: sizes[buffer]! * scale, bytes: sizes[buffer]! };
    y += section.height;
    return section;
  });
  const cell = (most * scale) / cells(exchange);
  return { left, top: head, right: left + used, bottom: y, column, lefts, sections, dense: column < 9 || cell < 5 };
});

export function yOf(section: Section, offset: number): number {
  return section.top + (offset / section.bytes) * section.height;
}

export const sectionOf = (layout: MemoryLayout, buffer: Buffer): Section | undefined =>
  layout.sections.find((section) => section.buffer === buffer);

export function placeAt(
  layout: MemoryLayout,
  x: number,
  y: number,
): { rank: number; section?: Section; offset: number } | undefined {
  const rank = layout.lefts.findIndex((left) => x >= left && x < left + layout.column);
  if (rank < 0) return undefined;
  const section = layout.sections.find((entry) => y >= entry.top && y < entry.top + entry.height);
  return { rank, section, offset: section ? ((y - section.top) / section.height) * section.bytes : 0 };
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

// Where a cell is that moves. On its way it has half the width and half the height, so that no resting cell is hidden by it.
export function flightBox(a: Box, b: Box, share: number): Box {
  const size = 1 - 0.5 * Math.min(1, 8 * share, 8 * (1 - share));
  const [width, height] = [a.width * size, a.height * size];
  const x = a.x + (b.x - a.x) * share + (a.width - width) / 2;
  return { x, y: a.y + (b.y - a.y) * share + (a.height - height) / 2, width, height };
}

// SPDX-License-Identifier: BSD-3-Clause
// The network view: ranks where they are, links by their load, messages under way.
import type { Exchange, Message } from "../model/exchange";
import { formatBytes, plural } from "../model/format";
import { busiest, linkLoads, wayOf } from "../model/loads";
import { largest } from "../model/numbers";
import { places } from "../model/places";
import { font, load } from "./look";
import { palette } from "./memory_colours";
import { drawStill } from "./still";
import { type CanvasView, type Frame, phaseOf, remembered, smooth } from "./view";

interface Point {
  x: number;
  y: number;
}

const layout = remembered((exchange: Exchange, width: number, height: number) => {
  const size = Math.min(width - 40, height - 70);
  const [left, top] = [(width - size) / 2, 36];
  const wide = Math.min(width - 40, size * 1.5);
  // Grids may be wider than high; circles stay round.
  const stretch = exchange.grid || exchange.network?.grid.length ? wide / size : 1;
  const points = places(exchange).map(({ x, y }) => ({
    x: (width - size * stretch) / 2 + x * size * stretch,
    y: top + y * size,
  }));
  const nearest = points.length > 1 ? Math.hypot(points[0]!.x - points[1]!.x, points[0]!.y - points[1]!.y) : size;
  return { points, radius: Math.max(2, Math.min(17, nearest * 0.34)), left, size };
});

const loadsOf = remembered((exchange: Exchange, first: number, last: number) => {
  const loads = linkLoads(exchange, first, last).sort((a, b) => a.bytes - b.bytes); // the busiest are drawn last
  return { loads, most: busiest(loads) };
});

const rangeOf = (frame: Frame): [number, number] => [
  frame.sum ? 0 : frame.round,
  Math.min(frame.round, frame.exchange.rounds.length - 1),
];

// Points of the line from one vertex to another: bent, so that the two directions can be told apart, and more if it goes around a ring.
function bend(a: Point, b: Point, radius: number, around: boolean): { control: Point; at: (share: number) => Point } {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = Math.hypot(dx, dy) || 1;
  const offset = around ? Math.min(length * 0.22, radius * 4.5) : Math.min(length * 0.1, radius * 0.9);
  const control = { x: (a.x + b.x) / 2 + (dy / length) * offset, y: (a.y + b.y) / 2 - (dx / length) * offset };
  const at = (t: number): Point => ({
    x: (1 - t) ** 2 * a.x + 2 * t * (1 - t) * control.x + t * t * b.x,
    y: (1 - t) ** 2 * a.y + 2 * t * (1 - t) * control.y + t * t * b.y,
  });
  return { control, at };
}

// A link between neighbours on a ring that are not beside each other in the picture.
function wraps(frame: Frame, a: number, b: number): boolean {
  const grid = frame.exchange.network?.grid.length ? frame.exchange.network.grid : frame.exchange.grid;
  if (!grid || !frame.exchange.network || frame.exchange.network.topology.startsWith("hypercube:")) return false;
  const columns = grid.at(-1)!;
  const rows = grid.at(-2) ?? 1;
  const [dx, dy] = [
    Math.abs((a % columns) - (b % columns)),
    Math.abs((Math.floor(a / columns) % rows) - (Math.floor(b / columns) % rows)),
  ];
  return dx > 1 || dy > 1;
}

// More lines than this cover each other; of more links a part is drawn, or those of the selected rank.
const mostLines = 2000;

function drawLinks(canvas: CanvasRenderingContext2D, frame: Frame, points: readonly Point[], radius: number): void {
  const { exchange, look } = frame;
  const line = (from: number, to: number) => {
    const { control } = bend(points[from]!, points[to]!, radius, wraps(frame, from, to));
    canvas.beginPath();
    canvas.moveTo(points[from]!.x, points[from]!.y);
    canvas.quadraticCurveTo(control.x, control.y, points[to]!.x, points[to]!.y);
    canvas.stroke();
  };
  canvas.strokeStyle = look.line;
  canvas.lineWidth = 1;
  for (const link of exchange.network?.links ?? []) line(link.from, link.to);
  const { loads, most } = loadsOf(exchange, ...rangeOf(frame));
  const many = loads.length > mostLines;
  let skipped = 0;
  const even = loads.every((entry) => entry.bytes === most.bytes);
  for (const entry of loads) {
    const touched =
      frame.selection.rank === undefined || frame.selection.rank === entry.from || frame.selection.rank === entry.to;
    if (many && (frame.selection.rank === undefined ? ++skipped % Math.ceil(loads.length / mostLines) !== 0 : !touched)) continue;
    const share = most.bytes ? entry.bytes / most.bytes : 0;
    canvas.globalAlpha = many ? (frame.selection.rank === undefined ? 0.12 : 0.5) : touched ? 0.9 : 0.25;
    canvas.strokeStyle = even ? look.send : load(0.25 + 0.75 * share, look);
    canvas.lineWidth = many ? 0.7 : 1 + (even ? 0.6 : 3 * share);
    line(entry.from, entry.to);
  }
  canvas.globalAlpha = 1;
}

const mostDots = 2000;

function drawMessages(canvas: CanvasRenderingContext2D, frame: Frame, points: readonly Point[], radius: number): void {
  const { exchange, look } = frame;
  const round = exchange.rounds[frame.round];
  const phase = phaseOf(frame);
  if (!round || frame.share === 0 || phase.kind === "locals") return;
  const share = smooth(phase.share);
  const followed = new Set<unknown>(frame.way?.moves[frame.round]?.map((move) => move.cause));
  const step = Math.max(1, Math.ceil(round.messages.length / mostDots));
  const most = largest(
    round.messages.map((message) => message.bytes),
    1,
  );
  const size = (message: Message) => Math.max(1.6, Math.min(radius * 0.62, 7) * (0.45 + 0.55 * Math.sqrt(message.bytes / most)));
  const paints = palette(exchange.ranks, look).plain;
  for (let i = 0; i < round.messages.length; i += step) {
    const message = round.messages[i]!;
    if (message.ends === "receiver" || message.to >= exchange.ranks) continue;
    const way = wayOf(exchange, message);
    // A message that nobody receives stops halfway.
    const along = (message.ends === "sender" ? Math.min(share, 0.5) : share) * (way.length - 1);
    const hop = Math.min(way.length - 2, Math.floor(along));
    if (hop < 0) continue;
    const [from, to] = [way[hop]!, way[hop + 1]!];
    const { x, y } = bend(points[from]!, points[to]!, radius, wraps(frame, from, to)).at(along - hop);
    const chosen = followed.has(message);
    const r = size(message);
    canvas.fillStyle = chosen ? look.accent : paints[message.from]!.fill;
    if (r < 2.5 && !chosen) {
      canvas.fillRect(x - r, y - r, 2 * r, 2 * r); // a circle of this size looks the same and takes longer
      continue;
    }
    canvas.beginPath();
    canvas.arc(x, y, chosen ? r + 2 : r, 0, 2 * Math.PI);
    canvas.fill();
    if (step === 1 && round.messages.length < 600) {
      canvas.strokeStyle = look.text;
      canvas.lineWidth = message.control ? 0.5 : 1;
      canvas.stroke();
    }
  }
}

function drawVertices(canvas: CanvasRenderingContext2D, frame: Frame, points: readonly Point[], radius: number): void {
  const { exchange, look, selection } = frame;
  const holders = new Set(frame.way?.holders[Math.min(frame.round, exchange.rounds.length)]);
  canvas.textAlign = "center";
  canvas.textBaseline = "middle";
  points.forEach(({ x, y }, vertex) => {
    const isRank = vertex < exchange.ranks;
    const paint = palette(exchange.ranks, look).plain[vertex];
    canvas.fillStyle = isRank ? paint!.fill : look.panel;
    canvas.strokeStyle = vertex === selection.rank || holders.has(vertex) ? look.accent : isRank ? look.page : look.muted;
    canvas.lineWidth = vertex === selection.rank || holders.has(vertex) ? 3.5 : 1;
    canvas.beginPath();
    if (isRank) canvas.arc(x, y, radius, 0, 2 * Math.PI);
    else canvas.rect(x - radius * 0.7, y - radius * 0.7, radius * 1.4, radius * 1.4);
    canvas.fill();
    canvas.stroke();
    if (radius < 7 || !isRank) return;
    canvas.fillStyle = paint!.ink;
    canvas.font = font(Math.min(13, radius * 0.95), 600);
    canvas.fillText(`${vertex}`, x, y + 0.5);
  });
}

function summary(frame: Frame): string {
  const [first, last] = rangeOf(frame);
  const { loads, most } = loadsOf(frame.exchange, first, last);
  if (last < 0) return "no rounds";
  if (first > last) return "at the end";
  const when = first === last ? `round ${last}` : `rounds ${first} to ${last}`;
  if (loads.length === 0) return `${when}: no messages`;
  const what = frame.exchange.network ? "link" : "pair";
  if (loads.every((entry) => entry.bytes === most.bytes))
    return `${when}: even load, ${formatBytes(most.bytes)} on each of ${plural(loads.length, what)}`;
  const more = most.links.length > 1 ? ` and ${most.links.length - 1} more` : "";
  return `${when}: busiest ${what} ${most.links[0]!.text}${more}, ${formatBytes(most.bytes)} in ${plural(most.links[0]!.messages, "message")}`;
}

export const network: CanvasView = {
  name: "network",
  draw(canvas, frame) {
    const { points, radius } = layout(frame.exchange, frame.width, frame.height);
    drawStill(canvas, frame, "links", [...rangeOf(frame), frame.selection.rank], (still) =>
      drawLinks(still, frame, points, radius),
    );
    drawMessages(canvas, frame, points, radius);
    drawVertices(canvas, frame, points, radius);
    canvas.textAlign = "left";
    canvas.textBaseline = "middle";
    canvas.font = font(12, 600);
    canvas.fillStyle = frame.look.text;
    const name = frame.exchange.network?.topology ? `${frame.exchange.network.topology} · ` : "";
    canvas.fillText(name + summary(frame), 10, 14, frame.width - 20);
  },
  pick(frame, x, y) {
    const { points, radius } = layout(frame.exchange, frame.width, frame.height);
    const vertex = points.findIndex((point) => Math.hypot(point.x - x, point.y - y) <= Math.max(radius, 6));
    if (vertex < 0) return undefined;
    if (vertex >= frame.exchange.ranks) return { text: "switch" };
    const of = frame.exchange.rounds[frame.round]?.messages.filter((message) => message.from === vertex) ?? [];
    const sends = of
      .slice(0, 4)
      .map((message) => `${formatBytes(message.bytes)} to ${message.to}`)
      .join(", ");
    return {
      text: `rank ${vertex}${sends ? ` sends ${sends}${of.length > 4 ? `, and ${of.length - 4} more` : ""}` : ""}`,
      selection: { rank: vertex },
    };
  },
  describe: (frame) => `Network of ${plural(frame.exchange.ranks, "rank")}; ${summary(frame)}.`,
};

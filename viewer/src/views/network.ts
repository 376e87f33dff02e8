// SPDX-License-Identifier: BSD-3-Clause
// The network view: ranks where they are, links by their load, messages under way.
import type { Exchange, Message } from "../model/exchange";
import { formatBytes, plural } from "../model/format";
import { layoutOf, type Line, linesOf, type Layout, type Place } from "../model/layout";
import { busiest, hopsOf, type LinkLoad, linkLoads } from "../model/loads";
import { largest } from "../model/numbers";
import { isUsableMessage } from "../model/usable";
import { HeatScale } from "./heat";
import { font } from "./look";
import { palette } from "./memory_colours";
import { drawStill } from "./still";
import { type CanvasView, type Frame, type Pick, phaseOf, remembered, smooth } from "./view";

interface Drawing {
  readonly layout: Layout;
  readonly scale: number;
  readonly at: (place: Place) => Place; // on the canvas
  readonly points: readonly Place[]; // of the vertices
  readonly radius: number; // of a rank
  readonly parallel: ReadonlyMap<number, number>; // by link number: how many links between the same two ends come before it
  readonly spacing: number; // the least distance between a switch and any other vertex; 0 if there are many vertices
}

const mostSpaced = 400; // vertices

// Exported for tests.
export function spacingOf(points: readonly Place[], ranks: number): number {
  if (points.length > mostSpaced) return 0;
  let least = Infinity;
  for (let a = ranks; a < points.length; ++a)
    for (let b = 0; b < a; ++b) least = Math.min(least, Math.hypot(points[a]!.x - points[b]!.x, points[a]!.y - points[b]!.y));
  return least;
}

// Exported for tests. A link in stubs has a place of its own.
export function parallelsOf(exchange: Exchange, layout: Layout): Map<number, number> {
  const before = new Map<string, number>();
  const parallel = new Map<number, number>();
  for (const { number, from, to } of exchange.network?.links ?? []) {
    if (layout.stubs.has(number)) continue;
    const ends = `${from} ${to}`;
    const count = before.get(ends) ?? 0;
    before.set(ends, count + 1);
    if (count > 0) parallel.set(number, count);
  }
  return parallel;
}

const mostEnlarged = 1.7;
const headHeight = 28;
const footHeight = 26; // for the scale of the colours

const drawingOf = remembered((exchange: Exchange, width: number, height: number): Drawing => {
  const layout = layoutOf(exchange);
  const scale = Math.min((width - 24) / layout.width, (height - headHeight - footHeight) / layout.height, mostEnlarged);
  const [left, top] = [
    (width - scale * layout.width) / 2,
    headHeight + (height - headHeight - footHeight - scale * layout.height) / 2,
  ];
  const at = ({ x, y }: Place): Place => ({ x: left + scale * x, y: top + scale * y });
  const points = layout.places.map(at);
  const radius = Math.max(1.6, scale * layout.radius);
  const parallel = parallelsOf(exchange, layout);
  return { layout, scale, at, points, radius, parallel, spacing: spacingOf(points, exchange.ranks) };
});

const loadsOf = remembered((exchange: Exchange, first: number, last: number) => {
  const loads = linkLoads(exchange, first, last).sort((a, b) => a.bytes - b.bytes); // the busiest are drawn last
  return { loads, most: busiest(loads), heat: new HeatScale(loads.map((load) => load.bytes)) };
});

const mostHeaded = 500; // more arrowheads cover what is below them

// An arrowhead where a line reaches the edge of a vertex.
function drawHead(canvas: CanvasRenderingContext2D, drawing: Drawing, [a, b]: Line, size: number): void {
  const angle = Math.atan2(b.y - a.y, b.x - a.x);
  const away = drawing.radius + 1;
  const [x, y] = [b.x - away * Math.cos(angle), b.y - away * Math.sin(angle)];
  canvas.beginPath();
  canvas.moveTo(x, y);
  for (const side of [-0.45, 0.45]) canvas.lineTo(x - size * Math.cos(angle + side), y - size * Math.sin(angle + side));
  canvas.fill();
}

const rangeOf = (frame: Frame): [number, number] => [
  frame.sum ? 0 : frame.round,
  Math.min(frame.round, frame.exchange.rounds.length - 1),
];

// The lines of a link on the canvas. Those of the two directions, and of parallel links, are beside each other.
function linesOn(drawing: Drawing, from: number, to: number, link: number | undefined): Line[] {
  const before = link === undefined ? 0 : (drawing.parallel.get(link) ?? 0);
  const beside = Math.max(0.8, 3.5 * drawing.scale) * (1 + 2 * before);
  return linesOf(drawing.layout, from, to, link).map(([a, b]) => {
    const [p, q] = [drawing.at(a), drawing.at(b)];
    const length = Math.hypot(q.x - p.x, q.y - p.y) || 1;
    const [x, y] = [(-(q.y - p.y) / length) * beside, ((q.x - p.x) / length) * beside];
    return [
      { x: p.x + x, y: p.y + y },
      { x: q.x + x, y: q.y + y },
    ] as const;
  });
}

// The point at a share of the way along lines.
function along(lines: readonly Line[], share: number): Place {
  const part = Math.min(lines.length - 1, Math.floor(share * lines.length));
  const [a, b] = lines[part]!;
  const t = share * lines.length - part;
  return { x: a.x + t * (b.x - a.x), y: a.y + t * (b.y - a.y) };
}

// More lines than this cover each other, unless they join neighbours. Then there is a sample: those that some ranks send.
const mostLines = 2000;
const mostSampled = 100; // so few arrows can be followed one by one
const fewAtVertex = 8;

// Of which ranks the links and messages are drawn; all ranks if there are not too many lines. Exported for tests.
export function sampleOf(exchange: Exchange, lines: number): readonly number[] | undefined {
  const { ranks } = exchange;
  if (lines <= mostLines || lines <= fewAtVertex * (exchange.network?.vertices ?? ranks)) return undefined;
  const count = Math.max(1, Math.floor((mostSampled * ranks) / lines));
  const every = Math.ceil(ranks / count);
  return Array.from({ length: Math.ceil(ranks / every) }, (_, i) => i * every);
}

// The same for a frame, where those of the selected rank are drawn instead.
function shownOf(frame: Frame, lines: number): ((from: number, to: number) => boolean) | undefined {
  const sample = sampleOf(frame.exchange, lines);
  if (!sample) return undefined;
  const { rank } = frame.selection;
  if (rank !== undefined) return (from, to) => from === rank || to === rank;
  const senders = new Set(sample);
  return (from) => senders.has(from);
}

function sampleText(frame: Frame, lines: number): string {
  const sample = sampleOf(frame.exchange, lines);
  if (!sample) return "";
  if (frame.selection.rank !== undefined) return `; drawn: what rank ${frame.selection.rank} sends and receives`;
  return `; drawn: what ${sample.length > 1 ? "ranks" : "rank"} ${sample.slice(0, 3).join(", ")}${sample.length > 3 ? " and so on" : ""} ${sample.length > 1 ? "send" : "sends"}`;
}

function drawLinks(canvas: CanvasRenderingContext2D, frame: Frame, drawing: Drawing): void {
  const { exchange, look } = frame;
  const line = (from: number, to: number, link: number | undefined) => {
    canvas.beginPath();
    for (const [a, b] of linesOn(drawing, from, to, link)) {
      canvas.moveTo(a.x, a.y);
      canvas.lineTo(b.x, b.y);
    }
    canvas.stroke();
  };
  canvas.strokeStyle = look.line;
  canvas.lineWidth = 1;
  for (const link of exchange.network?.links ?? []) line(link.from, link.to, link.number);
  const { loads, heat } = loadsOf(exchange, ...rangeOf(frame));
  const many = loads.length > mostLines;
  const shown = shownOf(frame, loads.length);
  const thin = Math.max(0.25, Math.min(1, 1.4 * drawing.scale)); // in small pictures lines have less room
  for (const entry of loads) {
    const touched =
      frame.selection.rank === undefined || frame.selection.rank === entry.from || frame.selection.rank === entry.to;
    if (shown && !shown(entry.from, entry.to)) continue;
    const share = heat.share(entry.bytes);
    canvas.globalAlpha = many ? 0.5 : touched ? 0.9 : 0.25;
    canvas.strokeStyle = heat.colour(entry.bytes);
    canvas.lineWidth = many ? 0.7 : thin * (1 + 3 * share);
    line(entry.from, entry.to, entry.link);
    if (loads.length > mostHeaded && !shown) continue;
    canvas.fillStyle = heat.colour(entry.bytes);
    const last = linesOn(drawing, entry.from, entry.to, entry.link).at(-1)!;
    drawHead(canvas, drawing, last, Math.min(9, Math.max(4, drawing.radius * 0.8)));
  }
  canvas.globalAlpha = 1;
  heat.draw(canvas, look, 10, frame.height - footHeight / 2, frame.width - 20);
}

// A message on its way.
interface Flight {
  readonly message: Message;
  readonly radius: number;
  readonly hops: () => readonly (readonly Line[])[]; // the lines of each link
}

const flightsOf = remembered((exchange: Exchange, number: number, width: number, height: number): Flight[] => {
  const drawing = drawingOf(exchange, width, height);
  const { messages } = exchange.rounds[number]!;
  const most = largest(
    messages.map((message) => message.bytes),
    1,
  );
  const largestRadius = Math.min(drawing.radius * 0.62, 7);
  return messages
    .filter((message) => message.ends !== "receiver" && message.to < exchange.ranks)
    .map((message) => ({
      message,
      radius: Math.max(1.6, largestRadius * (0.45 + 0.55 * Math.sqrt(message.bytes / most))),
      hops: () => hopsOf(exchange, message).map(({ from, to, link }) => linesOn(drawing, from, to, link)),
    }));
});

const mostOutlined = 600;

function drawMessages(canvas: CanvasRenderingContext2D, frame: Frame): void {
  const { exchange, look } = frame;
  const round = exchange.rounds[frame.round];
  const phase = phaseOf(frame);
  if (!round || frame.share === 0 || phase.kind === "locals") return;
  const share = smooth(phase.share);
  const followed = new Set<unknown>(frame.way?.moves[frame.round]?.map((move) => move.cause));
  const paints = palette(exchange.ranks, look, false).plain;
  const shown = shownOf(frame, round.messages.length);
  for (const { message, radius, hops: hopsOfFlight } of flightsOf(exchange, frame.round, frame.width, frame.height)) {
    if (shown && !shown(message.from, message.to)) continue;
    const hops = hopsOfFlight();
    // A message that is not delivered stops halfway.
    const way = (isUsableMessage(exchange, message) ? share : Math.min(share, 0.5)) * hops.length;
    const hop = Math.min(hops.length - 1, Math.floor(way));
    const { x, y } = along(hops[hop]!, way - hop);
    const chosen = followed.has(message);
    canvas.fillStyle = chosen ? look.accent : paints[message.from]!.fill;
    if (radius < 2.5 && !chosen) {
      canvas.fillRect(x - radius, y - radius, 2 * radius, 2 * radius); // a circle of this size looks the same and takes longer
      continue;
    }
    canvas.beginPath();
    canvas.arc(x, y, chosen ? radius + 2 : radius, 0, 2 * Math.PI);
    canvas.fill();
    if (round.messages.length >= mostOutlined) continue;
    canvas.strokeStyle = look.text;
    canvas.lineWidth = message.control ? 0.5 : 1;
    canvas.stroke();
  }
}

function textWithHalo(canvas: CanvasRenderingContext2D, text: string, { x, y }: Place, colour: string, ground: string): void {
  canvas.lineWidth = 3;
  canvas.lineJoin = "round";
  canvas.strokeStyle = ground;
  canvas.strokeText(text, x, y);
  canvas.fillStyle = colour;
  canvas.fillText(text, x, y);
}

const leastPartsNamed = 0.45; // the scale from which the names of parts stand where the layout has room for them

function drawPartNames(canvas: CanvasRenderingContext2D, frame: Frame, { layout, scale, at }: Drawing): void {
  const { look } = frame;
  canvas.textAlign = "center";
  canvas.textBaseline = "alphabetic";
  canvas.font = font(Math.max(9, Math.min(12, 11 * scale)));
  for (const part of layout.parts) {
    const { x, y } = at(part);
    const [width, height] = [scale * part.width, scale * part.height];
    // Where the name would cover ranks, it stands in the middle of a circle, where there are none.
    const fits = part.round && canvas.measureText(part.name).width < 0.7 * width;
    const place = scale > leastPartsNamed ? at(part.nameAt) : fits ? { x: x + width / 2, y: y + height / 2 + 4 } : undefined;
    if (place) textWithHalo(canvas, part.name, place, look.muted, look.panel);
  }
}

// Planes, groups and nodes.
function drawParts(canvas: CanvasRenderingContext2D, frame: Frame, { layout, scale, at }: Drawing): void {
  const { look } = frame;
  canvas.lineWidth = 1;
  for (const part of layout.parts) {
    const { x, y } = at(part);
    const [width, height] = [scale * part.width, scale * part.height];
    canvas.fillStyle = look.panel;
    canvas.strokeStyle = look.line;
    canvas.beginPath();
    if (part.round) canvas.arc(x + width / 2, y + height / 2, width / 2, 0, 2 * Math.PI);
    else canvas.rect(x, y, width, height);
    canvas.fill();
    canvas.stroke();
  }
}

const leastNamed = 0.75; // the scale from which switches have their names in them
const leastNumbered = 18; // the spacing from which they have their numbers in them

function drawSwitch(
  canvas: CanvasRenderingContext2D,
  frame: Frame,
  { layout, scale, spacing }: Drawing,
  { x, y }: Place,
  vertex: number,
): void {
  const name = layout.names[vertex]!;
  const number = /\d+$/.exec(name)?.[0] ?? "";
  canvas.font = font(10);
  const above = scale < leastNamed && canvas.measureText(name).width * 1.1 < spacing; // the name has room above the switch
  const inside = scale >= leastNamed ? name : !above && spacing >= leastNumbered ? number : "";
  canvas.font = font(10 * Math.max(0.9, Math.min(scale, 1.1)));
  const height = Math.max(inside ? 12 : 3.2, 16 * scale);
  const width = inside ? Math.max(height, canvas.measureText(inside).width + 8 * scale) : height;
  canvas.fillStyle = frame.look.panel;
  canvas.strokeStyle = frame.look.muted;
  canvas.lineWidth = 1;
  canvas.beginPath();
  canvas.rect(x - width / 2, y - height / 2, width, height);
  canvas.fill();
  canvas.stroke();
  canvas.fillStyle = frame.look.text;
  if (inside) canvas.fillText(inside, x, y + 0.5);
  if (above) textWithHalo(canvas, name, { x, y: y - height / 2 - 7 }, frame.look.text, frame.look.panel);
}

function drawVertices(canvas: CanvasRenderingContext2D, frame: Frame, drawing: Drawing): void {
  const { exchange, look, selection } = frame;
  const { points, radius } = drawing;
  const holders = new Set(frame.way?.holders[Math.min(frame.round, exchange.rounds.length)]);
  const paints = palette(exchange.ranks, look, false).plain;
  canvas.textAlign = "center";
  canvas.textBaseline = "middle";
  points.forEach((place, vertex) => {
    if (vertex >= exchange.ranks) return drawSwitch(canvas, frame, drawing, place, vertex);
    const { x, y } = place;
    const chosen = vertex === selection.rank || holders.has(vertex);
    canvas.fillStyle = paints[vertex]!.fill;
    canvas.strokeStyle = chosen ? look.accent : look.page;
    canvas.lineWidth = chosen ? 3.5 : 1;
    canvas.beginPath();
    canvas.arc(x, y, radius, 0, 2 * Math.PI);
    canvas.fill();
    canvas.stroke();
    if (radius < 5.5) return;
    canvas.fillStyle = paints[vertex]!.ink;
    canvas.font = font(Math.min(13, Math.max(7.5, radius * (vertex < 100 ? 0.95 : 0.8))), 600);
    canvas.fillText(`${vertex}`, x, y + 0.5);
  });
}

// The distance of a point from a line.
function distanceFrom({ x, y }: Place, [a, b]: Line): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const share = Math.max(0, Math.min(1, ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - a.x - share * dx, y - a.y - share * dy);
}

const reachOfPointer = 6;

// What the load under the pointer means.
function pickLoad(frame: Frame, x: number, y: number): Pick | undefined {
  const drawing = drawingOf(frame.exchange, frame.width, frame.height);
  const { loads } = loadsOf(frame.exchange, ...rangeOf(frame));
  let least = reachOfPointer;
  let nearest: LinkLoad | undefined;
  for (const load of loads.length > mostLines ? [] : loads)
    for (const line of linesOn(drawing, load.from, load.to, load.link)) {
      const distance = distanceFrom({ x, y }, line);
      if (distance < least) [least, nearest] = [distance, load];
    }
  if (!nearest) return undefined;
  const { text, bytes, messages } = nearest;
  const when = frame.sum ? "until now" : "in this round";
  return { text: `load of ${text} ${when}: ${formatBytes(bytes)} in ${plural(messages, "message")}` };
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
    return `${when}: even load, ${formatBytes(most.bytes)} on each of ${plural(loads.length, what)}${sampleText(frame, loads.length)}`;
  const more = most.links.length > 1 ? ` and ${most.links.length - 1} more` : "";
  return `${when}: busiest ${what} ${most.links[0]!.text}${more}, ${formatBytes(most.bytes)} in ${plural(most.links[0]!.messages, "message")}${sampleText(frame, loads.length)}`;
}

export const network: CanvasView = {
  name: "network",
  draw(canvas, frame) {
    const drawing = drawingOf(frame.exchange, frame.width, frame.height);
    drawStill(canvas, frame, "links", [...rangeOf(frame), frame.selection.rank], (still) => {
      drawParts(still, frame, drawing);
      drawLinks(still, frame, drawing);
      drawPartNames(still, frame, drawing);
    });
    drawMessages(canvas, frame);
    drawVertices(canvas, frame, drawing);
    canvas.textAlign = "left";
    canvas.textBaseline = "middle";
    canvas.font = font(12, 600);
    canvas.fillStyle = frame.look.text;
    const name = frame.exchange.network?.topology ? `${frame.exchange.network.topology} · ` : "";
    canvas.fillText(name + summary(frame), 10, 14, frame.width - 20);
  },
  pick(frame, x, y) {
    const { layout, points, radius } = drawingOf(frame.exchange, frame.width, frame.height);
    const vertex = points.findIndex((point) => Math.hypot(point.x - x, point.y - y) <= Math.max(radius, 6));
    if (vertex < 0) return pickLoad(frame, x, y);
    if (vertex >= frame.exchange.ranks) return { text: layout.names[vertex]! };
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

// SPDX-License-Identifier: BSD-3-Clause
// Where ranks, switches and links are drawn. The page's data says it: the command places networks in its pictures and here alike. A
// document without a layout has its vertices on a circle.
import type { Exchange } from "./exchange";

export interface Place {
  readonly x: number;
  readonly y: number;
}

// A part of the network that is drawn by itself, such as a node, a plane of a torus or a group of a dragonfly.
export interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly name: string;
  readonly nameAt: Place; // the middle of the name's base line
  readonly round: boolean; // the circle in the box
}

export interface Layout {
  readonly width: number; // everything is between 0 and these
  readonly height: number;
  readonly radius: number; // of a rank
  readonly stub: number; // how far stubs reach beyond a rank
  readonly places: readonly Place[]; // by vertex: ranks, then switches
  readonly names: readonly string[]; // by vertex
  readonly parts: readonly Part[];
  readonly stubs: ReadonlyMap<number, Place>; // by link number: the direction in which a link leaves that is not drawn from end to end
}

const radius = 11;
const room = 34; // on the circle

function circle(count: number): Layout {
  const away = Math.max(130, (room * count) / (2 * Math.PI));
  const size = 2 * (away + radius);
  return {
    width: size,
    height: size,
    radius,
    stub: 0,
    places: Array.from({ length: count }, (_, i) => {
      const angle = (2 * Math.PI * (i + 0.5)) / count;
      return { x: size / 2 + away * Math.sin(angle), y: size / 2 - away * Math.cos(angle) };
    }),
    names: Array.from({ length: count }, (_, i) => `${i}`),
    parts: [],
    stubs: new Map(),
  };
}

export const layoutOf = (exchange: Exchange): Layout =>
  exchange.layout ?? circle(Math.max(exchange.ranks, exchange.network?.vertices ?? 0));

export type Line = readonly [Place, Place];

const pieces = 8; // of a curve

// Between ranks that are not neighbours a straight line may run over others; a curve to the right goes around them.
function curve(a: Place, b: Place): Line[] {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = Math.hypot(dx, dy);
  const aside = 0.3 * Math.max(0, length - 2 * room);
  if (aside === 0) return [[a, b]];
  const control = { x: (a.x + b.x) / 2 - (dy / length) * aside, y: (a.y + b.y) / 2 + (dx / length) * aside };
  const at = (t: number): Place => ({
    x: (1 - t) ** 2 * a.x + 2 * t * (1 - t) * control.x + t * t * b.x,
    y: (1 - t) ** 2 * a.y + 2 * t * (1 - t) * control.y + t * t * b.y,
  });
  return Array.from({ length: pieces }, (_, i) => [at(i / pieces), at((i + 1) / pieces)] as const);
}

// The lines of a link from one place to another: one, or two stubs, of which the second comes from the other side. Without a number
// it is no link of a network, but leads from rank to rank.
export function linesOf(layout: Layout, from: number, to: number, link: number | undefined): Line[] {
  const [a, b] = [layout.places[from]!, layout.places[to]!];
  if (link === undefined) return curve(a, b);
  const direction = layout.stubs.get(link);
  if (!direction) return [[a, b]];
  const reach = layout.radius + layout.stub;
  const [x, y] = [reach * direction.x, reach * direction.y];
  return [
    [a, { x: a.x + x, y: a.y + y }],
    [{ x: b.x - x, y: b.y - y }, b],
  ];
}

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

// The lines of a link from one place to another: one, or two stubs, of which the second comes from the other side.
export function linesOf(layout: Layout, from: number, to: number, link: number | undefined): (readonly [Place, Place])[] {
  const [a, b] = [layout.places[from]!, layout.places[to]!];
  const direction = link === undefined ? undefined : layout.stubs.get(link);
  if (!direction) return [[a, b]];
  const reach = layout.radius + layout.stub;
  const [x, y] = [reach * direction.x, reach * direction.y];
  return [
    [a, { x: a.x + x, y: a.y + y }],
    [{ x: b.x - x, y: b.y - y }, b],
  ];
}

// SPDX-License-Identifier: BSD-3-Clause
// Where ranks and switches are drawn, in a square from 0 to 1: grids as grids, nodes as circles of ranks, switches inside a circle of
// ranks, and otherwise a circle.
import type { Exchange, Network } from "./exchange";

export interface Place {
  readonly x: number;
  readonly y: number;
}

const around = (share: number, radius: number, centre: Place = { x: 0.5, y: 0.5 }): Place => {
  const angle = 2 * Math.PI * share - Math.PI / 2;
  return { x: centre.x + radius * Math.cos(angle), y: centre.y + radius * Math.sin(angle) };
};

export const circle = (count: number): Place[] => Array.from({ length: count }, (_, i) => around(i / count, 0.46));

// Rows and columns; further dimensions are planes side by side. Dimension 0 changes slowest.
function onGrid(sides: readonly number[]): Place[] {
  const [columns, rows] = [sides.at(-1)!, sides.at(-2)!];
  const planes = sides.slice(0, -2).reduce((a, b) => a * b, 1);
  const across = Math.ceil(Math.sqrt(planes));
  const down = Math.ceil(planes / across);
  return Array.from({ length: planes * rows * columns }, (_, rank) => {
    const plane = Math.floor(rank / (rows * columns));
    const [x, y] = [(rank % columns) + 0.5, (Math.floor(rank / columns) % rows) + 0.5];
    return {
      x: ((plane % across) + 0.08 + (0.84 * x) / columns) / across,
      y: (Math.floor(plane / across) + 0.08 + (0.84 * y) / rows) / down,
    };
  });
}

// Three bits of a rank are the corners of a cube; the next three place cubes, and so on.
function onHypercube(ranks: number): Place[] {
  const steps: Place[] = [];
  for (let size = 1; 2 ** steps.length < ranks; size *= 2.6)
    steps.push({ x: size, y: 0 }, { x: 0, y: size }, { x: 0.42 * size, y: -0.34 * size });
  const raw = Array.from({ length: ranks }, (_, rank) => {
    const set = steps.filter((_, bit) => rank & (1 << bit));
    return { x: set.reduce((sum, step) => sum + step.x, 0), y: set.reduce((sum, step) => sum + step.y, 0) };
  });
  const [xs, ys] = [raw.map(({ x }) => x), raw.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left || 1, Math.max(...ys) - top];
  const across = 0.88 / width;
  const down = height > 0 ? Math.min(0.88 / height, 1.8 * across) : 0;
  return raw.map(({ x, y }) => ({ x: 0.06 + across * (x - left), y: 0.5 + down * (y - top - height / 2) }));
}

function inNodes(nodes: readonly number[]): Place[] {
  const names = [...new Set(nodes)];
  const members = names.map((name) => nodes.flatMap((node, rank) => (node === name ? [rank] : [])));
  const places = new Array<Place>(nodes.length);
  const radius = names.length === 1 ? 0.4 : Math.min(0.17, 1.1 / names.length);
  members.forEach((ranks, i) => {
    const centre = names.length === 1 ? { x: 0.5, y: 0.5 } : around(i / names.length, 0.46 - radius);
    ranks.forEach((rank, k) => (places[rank] = around(k / ranks.length, ranks.length === 1 ? 0 : radius * 0.8, centre)));
  });
  return places;
}

// Ranks on a circle; switches inside, the nearer to the middle the further they are from a rank, each beside what it connects.
function withSwitches(network: Network, ranks: number): Place[] {
  const neighbours = Array.from({ length: network.vertices }, () => [] as number[]);
  for (const link of network.links) neighbours[link.from]!.push(link.to);
  const level = new Array<number>(network.vertices).fill(-1).fill(0, 0, ranks);
  let border = Array.from({ length: ranks }, (_, i) => i);
  let most = 0;
  while (border.length) {
    const next = [...new Set(border.flatMap((vertex) => neighbours[vertex]!))].filter((vertex) => level[vertex] === -1);
    if (next.length) ++most;
    for (const vertex of next) level[vertex] = most;
    border = next;
  }
  const turn = Array.from({ length: network.vertices }, (_, i) => (i < ranks ? i / ranks : 0));
  for (let l = 1; l <= most; ++l) {
    const ofLevel = level.flatMap((of, vertex) => (of === l ? [vertex] : []));
    const mean = ofLevel.map((vertex) => {
      const below = neighbours[vertex]!.filter((other) => level[other] === l - 1);
      return below.reduce((sum, other) => sum + turn[other]!, 0) / Math.max(1, below.length);
    });
    const distinct = new Set(mean.map((share) => share.toFixed(4))).size === mean.length;
    ofLevel.forEach((vertex, i) => (turn[vertex] = distinct ? mean[i]! : i / ofLevel.length));
  }
  const single = level.filter((of) => of === most).length === 1;
  return turn.map((share, vertex) => {
    const inner = single ? 0 : most === 1 ? 0.27 : 0.14;
    return around(share, 0.46 - ((0.46 - inner) * level[vertex]!) / Math.max(1, most));
  });
}

export function places(exchange: Exchange): Place[] {
  const { network, ranks, nodes } = exchange;
  const grid = (network?.grid.length ? network.grid : exchange.grid) ?? [];
  if (network?.topology.startsWith("hypercube:")) return onHypercube(ranks);
  if (network && network.vertices > ranks) return withSwitches(network, ranks);
  if (grid.filter((side) => side > 1).length > 1) return onGrid(grid);
  if (nodes && new Set(nodes).size > 1 && new Set(nodes).size < ranks) return inNodes(nodes);
  return circle(Math.max(ranks, network?.vertices ?? 0));
}

// SPDX-License-Identifier: BSD-3-Clause
// How many bytes links carry: the links of the network, or, if none is known, one link for each pair of ranks that exchange messages.
import type { Exchange, Message } from "./exchange";

export interface LinkLoad {
  readonly from: number;
  readonly to: number;
  readonly link: number | undefined; // its number in the network
  readonly text: string;
  bytes: number;
  messages: number;
}

export interface Hop {
  readonly from: number;
  readonly to: number;
  readonly link: number | undefined; // its number in the network
}

// The links that a message takes; without a network it goes from rank to rank.
export function hopsOf(exchange: Exchange, message: Message): Hop[] {
  const way = exchange.network?.ways[message.index];
  if (!way?.length) return [{ from: message.from, to: message.to, link: undefined }];
  return way.map((link) => {
    const { number, from, to } = exchange.network!.links[link]!;
    return { from, to, link: number };
  });
}

// Loads of the rounds first .. last, the links without messages left out. Messages without both ends load no link.
export function linkLoads(exchange: Exchange, first: number, last: number): LinkLoad[] {
  const loads = new Map<number, LinkLoad>();
  const add = (key: number, { from, to, link }: Hop, text: string, bytes: number) => {
    const load = loads.get(key) ?? { from, to, link, text, bytes: 0, messages: 0 };
    load.bytes += bytes;
    ++load.messages;
    loads.set(key, load);
  };
  for (const round of exchange.rounds.slice(first, last + 1))
    for (const message of round.messages) {
      if (message.ends !== "both") continue;
      const { network } = exchange;
      if (network)
        for (const link of network.ways[message.index] ?? []) {
          const { number, from, to, text } = network.links[link]!;
          add(link, { from, to, link: number }, text, message.bytes);
        }
      else {
        const { from, to, bytes } = message;
        add(from * exchange.ranks + to, { from, to, link: undefined }, `${from} -> ${to}`, bytes);
      }
    }
  return [...loads.values()];
}

export function busiest(loads: readonly LinkLoad[]): { bytes: number; sharing: number; links: LinkLoad[] } {
  const bytes = loads.reduce((most, load) => Math.max(most, load.bytes), 0);
  return {
    bytes,
    sharing: loads.reduce((most, load) => Math.max(most, load.messages), 0),
    links: loads.filter((load) => load.bytes === bytes),
  };
}

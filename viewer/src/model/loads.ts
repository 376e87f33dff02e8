// SPDX-License-Identifier: BSD-3-Clause
// How many bytes links carry: the links of the network, or, if none is known, one link for each pair of ranks that exchange messages.
import type { Exchange, Message } from "./exchange";

export interface LinkLoad {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  bytes: number;
  messages: number;
}

// The vertices that a message passes, its ends included.
export function wayOf(exchange: Exchange, message: Message): number[] {
  const way = exchange.network?.ways[message.index];
  if (!way?.length) return [message.from, message.to];
  const { links } = exchange.network!;
  return [links[way[0]!]!.from, ...way.map((link) => links[link]!.to)];
}

// Loads of the rounds first .. last, the links without messages left out. Messages without both ends load no link.
export function linkLoads(exchange: Exchange, first: number, last: number): LinkLoad[] {
  const loads = new Map<number, LinkLoad>();
  const add = (key: number, from: number, to: number, text: string, bytes: number) => {
    const load = loads.get(key) ?? { from, to, text, bytes: 0, messages: 0 };
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
          const { from, to, text } = network.links[link]!;
          add(link, from, to, text, message.bytes);
        }
      else
        add(
          message.from * exchange.ranks + message.to,
          message.from,
          message.to,
          `${message.from} -> ${message.to}`,
          message.bytes,
        );
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

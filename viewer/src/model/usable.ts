// SPDX-License-Identifier: BSD-3-Clause
// Which operations of an exchange move data. In wrong schedules some do not: those whose source and target differ in length or leave
// their buffers, and messages that only one end knows. The verifier reports them and skips them, too.
import type { Exchange, Local, Message, Region } from "./exchange";

export const bytesOf = (regions: readonly Region[]): number => regions.reduce((sum, region) => sum + region.bytes, 0);

const lieIn = (exchange: Exchange, rank: number, regions: readonly Region[]): boolean =>
  regions.every(({ buffer, offset, bytes }) => offset >= 0 && offset + bytes <= (exchange.buffers[buffer][rank] ?? 0));

export const isUsableLocal = (exchange: Exchange, { rank, source, target }: Local): boolean =>
  bytesOf(source) === bytesOf(target) && lieIn(exchange, rank, source) && lieIn(exchange, rank, target);

export const isUsableMessage = (exchange: Exchange, { from, to, ends, read, write }: Message): boolean =>
  ends === "both" && bytesOf(read) === bytesOf(write) && lieIn(exchange, from, read) && lieIn(exchange, to, write);

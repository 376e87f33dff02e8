// SPDX-License-Identifier: BSD-3-Clause
// One sentence for a round: what happens in it. The algorithm's own sentence comes with the document; other rounds get one from
// their messages.
import type { Exchange, Message, Round } from "./exchange";
import { formatBytes, plural, rangesText } from "./format";
import { largest } from "./numbers";

// Returns the value that all messages have in common, or undefined.
function common(messages: readonly Message[], value: (message: Message) => number): number | undefined {
  const first = value(messages[0]!);
  return messages.every((message) => value(message) === first) ? first : undefined;
}

// "each 2 ranks on", if all messages go equally far, or to or from one rank.
function direction(exchange: Exchange, messages: readonly Message[]): string {
  const { ranks } = exchange;
  const from = common(messages, (message) => message.from);
  const to = common(messages, (message) => message.to);
  if (from !== undefined && to !== undefined) return `from rank ${from} to rank ${to}`;
  if (from !== undefined) return `all from rank ${from}`;
  if (to !== undefined) return `all to rank ${to}`;
  const on = common(messages, (message) => (message.to - message.from + ranks) % ranks);
  if (on !== undefined) return 2 * on <= ranks ? `each ${plural(on, "rank")} on` : `each ${plural(ranks - on, "rank")} back`;
  const apart = common(messages, (message) => message.from ^ message.to);
  if (apart !== undefined && Number.isInteger(Math.log2(apart)))
    return `between ranks whose numbers differ in bit ${Math.log2(apart)}`;
  const senders = new Set(messages.map((message) => message.from)).size;
  return senders === ranks ? "from every rank" : `from ${plural(senders, "rank")}`;
}

function fromMessages(exchange: Exchange, { messages, locals }: Round): string {
  if (messages.length === 0) {
    const combines = locals.some((local) => local.operation !== "copy");
    const which = rangesText([...new Set(locals.map((local) => local.rank))], exchange.ranks);
    return locals.length ? `No messages: ranks ${which} ${combines ? "combine operands" : "copy"}` : "Nothing happens";
  }
  const bytes = largest(messages.map((message) => message.bytes));
  const block = exchange.blockBytes ?? 0;
  const size = block > 0 && bytes % block === 0 ? plural(bytes / block, "block") : formatBytes(bytes);
  const most = common(messages, (message) => message.bytes) === undefined ? "at most " : "";
  const what = bytes > 0 ? ` of ${most}${size}` : " without data";
  return `${plural(messages.length, "message")}${what}, ${direction(exchange, messages)}`;
}

export function sentenceOf(exchange: Exchange, number: number): string {
  const round = exchange.rounds[number];
  if (!round) return "";
  return `${exchange.says?.get(number) || fromMessages(exchange, round)}.`;
}

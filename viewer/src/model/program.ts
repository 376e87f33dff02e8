// SPDX-License-Identifier: BSD-3-Clause
// One rank's program as lines of text, in the notation of quadrille-schedule-text/1: local operations, then what the rank sends and
// what it receives, both in the order in which it posts them, then control messages.
import { bufferNames, type Exchange, type Message, type Region } from "./exchange";

export interface Line {
  readonly round: number;
  readonly text: string;
  readonly message?: number; // index of the message
}

// Regions of equal length in equal distances become one: "input[56:8 *4/-16]".
export function regionsText(regions: readonly Region[]): string {
  const texts: string[] = [];
  for (let i = 0; i < regions.length; ) {
    const first = regions[i]!;
    const follows = (k: number, step: number) =>
      regions[k]?.buffer === first.buffer &&
      regions[k]!.bytes === first.bytes &&
      regions[k]!.offset - regions[k - 1]!.offset === step;
    const step = regions[i + 1] ? regions[i + 1]!.offset - first.offset : 0;
    let end = i + 1;
    while (follows(end, step)) ++end;
    const name = bufferNames[first.buffer];
    if (end - i > 1) texts.push(`${name}[${first.offset}:${first.bytes} *${end - i}/${step}]`);
    else texts.push(`${name}[${first.offset}:${first.bytes}]`);
    i = end;
  }
  return texts.join(" ");
}

const portText = (port: Message["port"]): string => (port ? ` port ${port[0]} ${port[1] > 0 ? "+" : "-"}1` : "");

export function program(exchange: Exchange, rank: number): Line[] {
  return exchange.rounds.flatMap((round): Line[] => {
    const locals = round.locals
      .filter((local) => local.rank === rank)
      .map((local) => {
        const verb = local.operation === "copy" ? "copy" : `reduce ${local.operation}`;
        return { round: round.number, text: `${verb} ${regionsText(local.source)} -> ${regionsText(local.target)}` };
      });
    const line = (
      { index, control, bytes, port }: Message,
      verb: string,
      word: string,
      peer: number,
      regions: readonly Region[],
    ) => ({
      round: round.number,
      message: index,
      text: control ? `control ${word} ${peer} ${bytes}` : `${verb} ${word} ${peer}${portText(port)} ${regionsText(regions)}`,
    });
    const sends = round.messages
      .filter(({ from, ends }) => from === rank && ends !== "receiver")
      .map((message) => line(message, "send", "to", message.to, message.read));
    const receives = round.messages
      .filter(({ to, ends }) => to === rank && ends !== "sender")
      .sort((a, b) => a.receivePlace - b.receivePlace)
      .map((message) => line(message, "receive", "from", message.from, message.write));
    const all = [...sends, ...receives];
    const isControl = ({ message }: { message: number }) => exchange.messages[message]!.control;
    return [...locals, ...all.filter((entry) => !isControl(entry)), ...all.filter(isControl)];
  });
}

// SPDX-License-Identifier: BSD-3-Clause
// One rank's program as lines of text, in the notation of quadrille-schedule-text/1.
import { bufferNames, type Exchange, type Region } from "./exchange";

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

export function program(exchange: Exchange, rank: number): Line[] {
  return exchange.rounds.flatMap((round): Line[] => {
    const locals = round.locals
      .filter((local) => local.rank === rank)
      .map((local) => {
        const verb = local.operation === "copy" ? "copy" : `reduce ${local.operation}`;
        return { round: round.number, text: `${verb} ${regionsText(local.source)} -> ${regionsText(local.target)}` };
      });
    const messages = round.messages.flatMap(({ index, from, to, bytes, control, ends, read, write }) => {
      const lines: Line[] = [];
      const what = (verb: string, word: string, peer: number, regions: readonly Region[]) =>
        lines.push({
          round: round.number,
          message: index,
          text: control ? `control ${word} ${peer} ${bytes}` : `${verb} ${word} ${peer} ${regionsText(regions)}`,
        });
      if (from === rank && ends !== "receiver") what("send", "to", to, read);
      if (to === rank && ends !== "sender") what("receive", "from", from, write);
      return lines;
    });
    return [...locals, ...messages];
  });
}

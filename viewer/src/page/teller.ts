// SPDX-License-Identifier: BSD-3-Clause
// Tells in words where an exchange is: the round, what happens in it, and what decides the way of the selected block.
import type { Exchange } from "../model/exchange";
import { formatBytes, plural } from "../model/format";
import { largest } from "../model/numbers";
import { sentenceOf } from "../model/sentence";
import type { Replay } from "../model/replay";
import { clueRuleOf } from "../views/memory_colours";
import type { Frame } from "../views/view";
import { el } from "./dom";

export function roundSentence(exchange: Exchange, position: number): string {
  const rounds = exchange.rounds.length;
  if (position >= rounds) return `End, after ${plural(rounds, "round")}`;
  const round = exchange.rounds[Math.floor(position)]!;
  const longest = largest(round.messages.map((message) => message.bytes));
  const parts = [`Round ${round.number} (${round.number + 1} of ${rounds})`, exchange.stages[round.stage]?.name ?? ""];
  if (round.locals.length) parts.push(plural(round.locals.length, "local operation"));
  parts.push(
    round.messages.length ? `${plural(round.messages.length, "message")}, longest ${formatBytes(longest)}` : "no messages",
  );
  return parts.filter(Boolean).join(" · ");
}

export class Teller {
  private readonly status = el("output", { class: "status", "aria-live": "polite" });
  private readonly says = el("p", { class: "says" });
  readonly element = el("div", { class: "teller" }, this.status, this.says);
  private told: readonly unknown[] = [];

  constructor(
    private readonly exchange: Exchange,
    private readonly replay: Replay,
  ) {}

  tell({ position, round, selection, way }: Frame): void {
    const told = [round, position >= this.exchange.rounds.length, selection.block, selection.rank];
    if (told.every((entry, i) => entry === this.told[i]) && this.told.length > 0) return;
    this.told = told;
    this.status.textContent = roundSentence(this.exchange, position);
    this.says.replaceChildren(this.sentence(position, round));
    const { block } = selection;
    const rule = clueRuleOf(this.exchange);
    if (!block || !rule) return;
    const target = this.replay.parts.target(block.origin, block.from);
    const rank = way?.moves[round]?.find((move) => move.fromRank !== move.toRank)?.fromRank ?? selection.rank ?? block.origin;
    const clue = rule({ rank, origin: block.origin, target }, this.exchange.rounds[round]);
    if (!clue) return;
    const parts = clue.parts.map(({ text, current }) => el(current ? "mark" : "span", {}, text));
    this.says.append(" Selected: ", el("span", { class: "clue" }, ...parts), ` – ${clue.sentence}.`);
  }

  private sentence(position: number, round: number): string {
    if (position < this.exchange.rounds.length) return sentenceOf(this.exchange, round);
    const faults = this.replay.faults().length;
    return faults ? "Some outputs are missing or wrong." : "All outputs are what the collective asks for.";
  }
}

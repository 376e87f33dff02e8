// SPDX-License-Identifier: BSD-3-Clause
// What the words and marks of each view mean: shown when the reader points at the question mark beside the tabs, or focuses it.
import type { ViewName } from "./state";
import { el } from "./dom";

type Word = readonly [word: string, meaning: string];

const ofRounds: readonly Word[] = [
  ["round", "all messages that may be under way at the same time; rounds are numbered from 0"],
  ["stage", "consecutive rounds with one purpose"],
  ["C1", "the number of rounds with a message: how often a start-up is paid"],
  ["C2", "the longest message of each round, added up: how many bytes are waited for"],
];

const ofLoads: readonly Word[] = [
  ["load", "the bytes that a link, or a pair of ranks, carries in this round, or until now: choose above"],
  ["arrow", "points from the sender to the receiver"],
  ["sharing", "how many messages of a round use the same link; they then have to share its bandwidth"],
];

const ofBars: readonly Word[] = [
  ["bar", "upper half: a send; lower half: a receive; whole: a copy, or combining; grey: waiting"],
  ["dashed line", "the schedule is done here; another one takes longer"],
];

const words: Record<ViewName, readonly Word[]> = {
  memory: [
    ["2→7", "the block from rank 2 to rank 7; a single number is a rank whose data is for several ranks, or was combined"],
    ["corner mark", "this round sends the block on: the small triangle at its upper right"],
    [
      "digits, r1 c3, 4-7",
      "what decides the block's way: digits of its distance, row and column of its target, or the subtree that it goes to; underlined: what this round decides",
    ],
    ["colour", "the origin or the target, as chosen above; in reductions the number of operands"],
    ["input, output, scratch", "the buffers of each rank: what it has, what it shall get, and memory in between"],
    ["dashed frame", "bytes that were never written"],
    ["cut corners", "bytes that are not what the collective asks for"],
  ],
  network: ofLoads,
  time: [...ofRounds.slice(0, 2), ...ofBars],
  traffic: [["cell", "how many bytes a rank (row) sends to another (column)"], ...ofLoads.slice(0, 1)],
  figures: [...ofRounds, ["port", "a rank with k ports sends and receives up to k messages in a round"], ofLoads[2]!],
  text: [["input[8:16 *2/32]", "a region: 16 bytes at offset 8 of the input, 2 times, 32 bytes apart"], ...ofRounds.slice(0, 2)],
  way: [["way", "every move of the selected block, and who holds it in the end"]],
  findings: [["finding", "a rule that the schedule breaks, and where; findings of one cause are listed once"]],
};

// A question mark; beside it the words of the view that `show` has named.
export class Words {
  private readonly list = el("dl", { class: "words", role: "tooltip" });
  private readonly mark = el("button", { type: "button", "aria-label": "What the words and marks of this view mean" }, "?");
  readonly element = el("div", { class: "help" }, this.mark, this.list);

  constructor() {
    this.mark.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.mark.blur();
    });
  }

  show(view: ViewName): void {
    this.list.replaceChildren(...words[view].flatMap(([word, meaning]) => [el("dt", {}, word), el("dd", {}, meaning)]));
  }
}

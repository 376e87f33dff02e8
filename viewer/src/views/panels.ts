// SPDX-License-Identifier: BSD-3-Clause
// Views of text and tables: figures, a rank's program, the way of a block, findings. Each makes its elements again when what it shows
// has changed, and marks the current round in between.
import { figures } from "../model/figures";
import type { Exchange, Finding } from "../model/exchange";
import { formatBytes, formatCount, plural } from "../model/format";
import { largest } from "../model/numbers";
import { program, regionsText } from "../model/program";
import { isLocal } from "../model/replay";
import { el } from "../page/dom";
import type { Frame, Selection } from "./view";

export interface Jump {
  readonly position?: number;
  readonly selection?: Selection;
}

export interface Panel {
  readonly name: string;
  // What the panel depends on besides the round: it is made again if one of these changes.
  keys(frame: Frame): unknown[];
  make(frame: Frame, jump: (to: Jump) => void): HTMLElement;
}

// Entries with data-round are marked while their round runs; a click leads to it.
function entry(tag: "li" | "tr", round: number, jump: (to: Jump) => void, ...children: (Node | string)[]): HTMLElement {
  const made: HTMLElement = el(tag, { "data-round": String(round), tabindex: "0" }, ...children);
  made.addEventListener("click", () => jump({ position: round }));
  made.addEventListener("keydown", (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.stopPropagation();
    made.click();
  });
  return made;
}

const names: Record<string, string> = {
  c1: "C1",
  c2: "C2",
  c2_shared: "C2 with sharing",
  node_rounds: "rounds between nodes",
  node_traffic_out: "bytes out of a node",
  node_traffic_in: "bytes into a node",
};
const inBytes = new Set(["c2", "c2_shared", "node_traffic_out", "node_traffic_in"]);

// How many times the least possible value a figure has.
const ratio = (value: number, least: number): string =>
  value === least ? "reached" : least > 0 ? `${(value / least).toFixed(2)} of it` : "no ratio";

function figureTable(exchange: Exchange): HTMLElement {
  const counted = figures(exchange);
  const bound = (figure: string, value: number, text: (value: number) => string): string =>
    exchange.bounds
      .filter((entry) => entry.figure === figure)
      .map((entry) => `; at least ${text(entry.value)}, ${ratio(value, entry.value)} (${entry.source})`)
      .join("");
  const rows: [string, string, string][] = [
    ["C1", formatCount(counted.c1), `rounds with a message${bound("c1", counted.c1, formatCount)}`],
    ["C2", formatBytes(counted.c2), `the longest message of each round, added up${bound("c2", counted.c2, formatBytes)}`],
    ["ports", formatCount(counted.ports), "most messages that a rank sends, or receives, in a round"],
    ["start-ups", formatCount(counted.startups), "most messages that a rank sends"],
    ["traffic out", formatBytes(counted.trafficOut), "most bytes that a rank sends"],
    ["traffic in", formatBytes(counted.trafficIn), "most bytes that a rank receives"],
    ["scratch", formatBytes(counted.scratch), "most scratch memory of a rank"],
    ["with output", formatBytes(counted.outputAndScratch), "most output and scratch memory of a rank together"],
  ];
  if (counted.sharing !== undefined) rows.push(["sharing", formatCount(counted.sharing), "most messages of a round on a link"]);
  if (counted.c2Shared !== undefined)
    rows.push([
      names.c2_shared!,
      formatBytes(counted.c2Shared),
      `longest message times sharing, added up over the rounds${bound("c2_shared", counted.c2Shared, formatBytes)}`,
    ]);
  rows.push(["control", formatBytes(counted.controlBytes), "headers and counts, all ranks"]);
  for (const entry of exchange.bounds)
    if (entry.figure !== "c1" && entry.figure !== "c2" && (entry.figure !== "c2_shared" || counted.c2Shared === undefined))
      rows.push([
        `${names[entry.figure] ?? entry.figure}`,
        `≥ ${inBytes.has(entry.figure) ? formatBytes(entry.value) : formatCount(entry.value)}`,
        `lower bound (${entry.source})`,
      ]);
  return el(
    "table",
    {},
    ...rows.map(([name, value, meaning]) =>
      el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "number" }, value), el("td", {}, meaning)),
    ),
  );
}

function roundTable(exchange: Exchange, jump: (to: Jump) => void): HTMLElement {
  const { rounds } = figures(exchange);
  const longest = largest(
    rounds.map((round) => round.longest),
    1,
  );
  const shared = rounds.some((round) => round.sharing !== undefined);
  const heads = ["round", "stage", "messages", "a rank", "longest", "", ...(shared ? ["on a link"] : [])];
  const shown = rounds.slice(0, 1000);
  return el(
    "table",
    {},
    el("thead", {}, el("tr", {}, ...heads.map((head, i) => el("th", { scope: "col", class: i === 1 ? "" : "number" }, head)))),
    el(
      "tbody",
      {},
      ...shown.map((round) => {
        const bar = el("div", { class: "bar" });
        bar.style.width = `${(100 * round.longest) / longest}%`;
        const cells = [`${round.number}`, round.stage, formatCount(round.messages), `${round.ports}`, formatBytes(round.longest)];
        return entry(
          "tr",
          round.number,
          jump,
          ...cells.map((text, i) => el("td", { class: i === 1 ? "" : "number" }, text)),
          el("td", { class: "bars" }, bar),
          ...(shared ? [el("td", { class: "number" }, `${round.sharing}`)] : []),
        );
      }),
    ),
  );
}

export const figuresPanel: Panel = {
  name: "figures",
  keys: (frame) => [frame.exchange],
  make: (frame, jump) => el("div", {}, figureTable(frame.exchange), el("h3", {}, "By round"), roundTable(frame.exchange, jump)),
};

export const textPanel: Panel = {
  name: "text",
  keys: (frame) => [frame.exchange, frame.selection.rank],
  make(frame, jump) {
    const rank = frame.selection.rank ?? 0;
    const lines = program(frame.exchange, rank);
    const list = el("ol", { class: "program" });
    let round = -1;
    for (const line of lines.slice(0, 5000)) {
      if (line.round !== round) {
        round = line.round;
        const stage = frame.exchange.stages[frame.exchange.rounds[round]!.stage]?.name ?? "";
        list.append(entry("li", round, jump, el("strong", {}, `round ${round}`), ` ${stage}`));
      }
      list.append(entry("li", round, jump, el("code", {}, line.text)));
    }
    if (lines.length === 0) list.append(el("li", {}, "This rank does nothing."));
    return el("div", {}, el("h3", {}, `Program of rank ${rank}`), list);
  },
};

export const wayPanel: Panel = {
  name: "way",
  keys: (frame) => [frame.exchange, frame.way],
  make(frame, jump) {
    if (!frame.way)
      return el(
        "p",
        {},
        "Click a block in the view of the memory, or search for one (such as 2>7), to follow it through all rounds.",
      );
    const { block } = frame.way;
    const target = frame.replay.parts.target(block.origin, block.from);
    const list = el("ol", { class: "program" });
    frame.way.moves.forEach((moves, round) => {
      const known = new Set<string>();
      for (const move of moves) {
        const places = `${regionsText([move.source])} -> ${regionsText([move.target])}`;
        const text = isLocal(move.cause)
          ? `rank ${move.fromRank} ${move.cause.operation === "copy" ? "copies" : "combines"} ${places}`
          : `rank ${move.fromRank} sends to ${move.toRank}: ${places}`;
        if (known.has(text)) continue;
        known.add(text);
        list.append(entry("li", round, jump, el("strong", {}, `round ${round} `), text));
      }
    });
    const end = [...frame.way.holders.at(-1)!].sort((a, b) => a - b);
    list.append(
      el(
        "li",
        {},
        el("strong", {}, "end "),
        end.length
          ? `held by ${end.length > 16 ? plural(end.length, "rank") : `rank${end.length > 1 ? "s" : ""} ${end.join(", ")}`}`
          : "held by no rank: it was lost",
      ),
    );
    return el(
      "div",
      {},
      el("h3", {}, `Way of the ${formatBytes(block.bytes)} of rank ${block.origin}${target < 0 ? "" : ` for rank ${target}`}`),
      list,
    );
  },
};

const mostFindings = 200;

// The first finding of each cause, and how many others have it. Findings without a cause stand alone.
function byCause(findings: readonly Finding[]): { finding: Finding; others: number }[] {
  const causes = new Map<number, { finding: Finding; others: number }>();
  const listed: { finding: Finding; others: number }[] = [];
  for (const finding of findings) {
    const known = finding.cause === undefined ? undefined : causes.get(finding.cause);
    if (known) {
      ++known.others;
      continue;
    }
    const made = { finding, others: 0 };
    listed.push(made);
    if (finding.cause !== undefined) causes.set(finding.cause, made);
  }
  return listed;
}

export const findingsPanel: Panel = {
  name: "findings",
  keys: (frame) => [frame.exchange],
  make(frame, jump) {
    const list = el("ol", { class: "program" });
    const { findings } = frame.exchange;
    for (const { finding, others } of byCause(findings).slice(0, mostFindings)) {
      const place = [
        finding.rank === undefined ? "" : `rank ${finding.rank}`,
        finding.round === undefined ? "" : `round ${finding.round}`,
      ]
        .filter(Boolean)
        .join(", ");
      const item = entry(
        "li",
        finding.round ?? frame.exchange.rounds.length,
        jump,
        el("strong", {}, `${finding.rule} ${place} `),
        finding.text,
        others ? ` (and ${plural(others, "other finding")} of the same cause)` : "",
      );
      const origin = finding.block?.[0];
      const block =
        finding.block && origin !== undefined && origin < frame.exchange.ranks
          ? frame.replay.parts.block(origin, frame.replay.parts.byTarget ? finding.block[1] : 0)
          : undefined;
      item.addEventListener("click", () => jump({ selection: { rank: finding.rank, block } }));
      list.append(item);
    }
    if (byCause(findings).length > mostFindings) list.append(el("li", {}, "and more"));
    const faults = frame.replay.faults();
    for (const fault of faults.slice(0, findings.length ? 0 : mostFindings))
      list.append(
        entry(
          "li",
          frame.exchange.rounds.length,
          jump,
          el("strong", {}, `rank ${fault.rank} `),
          `output[${fault.at}:${fault.bytes}] ${fault.missing ? "was never written" : "holds other data than the collective asks for"}`,
        ),
      );
    const text =
      findings.length || faults.length
        ? plural(Math.max(findings.length, faults.length), "finding")
        : "No findings: the replay ends in what the collective asks for.";
    return el("div", {}, el("h3", {}, text), list);
  },
};

// SPDX-License-Identifier: BSD-3-Clause
// The page of races and tuning: what was measured, curves, a map of the fastest, and why the others lost.
import { formatBytes, plural } from "../model/format";
import { choice, el } from "../page/dom";
import { colours, ink, type Look } from "../views/look";
import { drawCurves, mostCurves } from "./curves";
import { bar, date, figure, head, row, time, wide } from "./parts";
import { conclusion, fastest, label, names, type Race, reason } from "./race";

const allSizes = (races: readonly Race[]): number[] =>
  [...new Set(races.flatMap((race) => race.sizes.map((size) => size.bytes)))].sort((a, b) => a - b);

// "alltoall on 2, 4 and 8 ranks", or the titles of several collectives.
export function heading(races: readonly Race[]): string {
  const collectives = [...new Set(races.map((race) => race.collective))];
  const ranks = [...new Set(races.map((race) => race.ranks))].sort((a, b) => a - b);
  const list = (words: readonly (string | number)[]) =>
    words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : `${words[0]}`;
  const what = collectives.length > 4 ? plural(collectives.length, "collective") : list(collectives);
  return `${what} on ${ranks.length === 1 ? plural(ranks[0]!, "rank") : `${list(ranks)} ranks`}`;
}

// What was raced, where, when, on which machine, and by which command.
function facts(races: readonly Race[]): HTMLElement {
  return el(
    "table",
    { class: "facts" },
    head("measured", "where", "machine", "when", "by"),
    el(
      "tbody",
      {},
      ...races.map(({ title, about }) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, title),
          ...[
            about.where,
            about.machine,
            about.start === undefined ? "not said" : date(about.start),
            about.command === undefined ? "not said" : el("code", {}, about.command),
          ].map((cell) => el("td", {}, cell)),
        ),
      ),
    ),
  );
}

function curvesOf(races: readonly Race[], colourOf: ReadonlyMap<string, string>, look: Look): HTMLElement {
  return el(
    "div",
    { class: "curves" },
    ...races.map((race) =>
      el(
        "section",
        {},
        el("h3", {}, race.title),
        figure(`Times of ${race.title}, over the size of a block, with intervals`, 280, (canvas, width, height) =>
          drawCurves(canvas, race, colourOf, look, width, height),
        ),
      ),
    ),
  );
}

// The first size at which several candidates were raced.
const firstContested = (race: Race): number =>
  Math.max(
    0,
    race.sizes.findIndex((size) => size.candidates.length > 1),
  );

function losers(
  races: readonly Race[],
  chosen: number,
  size: number,
  choose: (race: number, size: number) => void,
): HTMLElement[] {
  const race = races[chosen]!;
  const raced = race.sizes[size]!;
  const best = fastest(raced);
  const sizes = choice(
    "Size of a block",
    race.sizes.map((entry, i) => [String(i), formatBytes(entry.bytes)] as const),
    String(size),
    (value) => choose(chosen, Number(value)),
  );
  const titles = choice(
    "Race",
    races.map((entry, i) => [String(i), entry.title] as const),
    String(chosen),
    (value) => choose(Number(value), firstContested(races[Number(value)]!)),
  );
  // Columns that no candidate has are left out.
  const [counted, predicted] = [
    raced.candidates.some(({ c1, c2 }) => c1 !== undefined || c2 !== undefined),
    raced.candidates.some((candidate) => candidate.predicted !== undefined),
  ];
  const slowest = Math.max(...raced.candidates.map((candidate) => candidate.median));
  const rows = raced.candidates.map((candidate) =>
    row(
      label(candidate),
      time(candidate.median),
      `${time(candidate.lower)} .. ${time(candidate.upper)}`,
      best ? `${(candidate.median / best.median).toFixed(2)}` : "",
      ...(counted
        ? [candidate.c1 === undefined ? "" : String(candidate.c1), candidate.c2 === undefined ? "" : formatBytes(candidate.c2)]
        : []),
      ...(predicted ? [candidate.predicted === undefined ? "" : time(candidate.predicted)] : []),
      bar(candidate.median / slowest),
      best ? reason(candidate, best, formatBytes) : "its data was wrong",
    ),
  );
  const left = raced.leftOut.map((entry) => el("li", {}, `${entry.name}: ${entry.reason}`));
  return [
    el("h2", {}, "Why the others lost: ", races.length > 1 ? titles : race.title, ", ", sizes),
    wide(
      "Why the others lost",
      el(
        "table",
        { class: "losers" },
        head(
          "candidate",
          "median",
          "interval",
          "/ fastest",
          ...(counted ? ["C1", "C2"] : []),
          ...(predicted ? ["predicted"] : []),
          "",
          "why",
        ),
        el("tbody", {}, ...rows),
      ),
    ),
    ...(left.length ? [el("h3", {}, "Left out"), el("ul", {}, ...left)] : []),
  ];
}

function mapOf(
  races: readonly Race[],
  colourOf: ReadonlyMap<string, string>,
  choose: (race: number, size: number) => void,
): HTMLElement {
  const sizes = allSizes(races);
  return el(
    "table",
    { class: "map" },
    head("the fastest", ...sizes.map(formatBytes)),
    el(
      "tbody",
      {},
      ...races.map((race, i) => {
        const cells = sizes.map((bytes) => {
          const index = race.sizes.findIndex((entry) => entry.bytes === bytes);
          if (index < 0) return el("td", {});
          const raced = race.sizes[index]!;
          const best = fastest(raced);
          const concluded = conclusion(raced);
          const remark = concluded === "fastest" ? "" : ` (${concluded})`;
          const press = el("button", { type: "button" }, `${best ? label(best) : "none"}${remark}`);
          const colour = best && colourOf.get(best.name);
          if (colour) [press.style.background, press.style.color] = [colour, ink(colour)];
          press.addEventListener("click", () => choose(i, index));
          return el("td", {}, press);
        });
        return el("tr", {}, el("th", { scope: "row" }, race.title), ...cells);
      }),
    ),
  );
}

export function showRaces(root: HTMLElement, races: readonly Race[], look: Look): void {
  const all = names(races);
  const palette = colours(mostCurves);
  const colourOf = new Map(all.slice(0, mostCurves).map((name, i) => [name, palette[i]!]));
  const table = el("div", {});
  const choose = (chosen: number, size: number): void => table.replaceChildren(...losers(races, chosen, size, choose));
  const hidden = all.length - colourOf.size;
  root.replaceChildren(
    el(
      "div",
      { class: "report" },
      el("h1", {}, heading(races)),
      facts(races),
      el("h2", {}, "Times over the size of a block"),
      el(
        "p",
        {},
        "Medians of the measured sizes, each with its interval; the lines between them are no measurements.",
        hidden > 0 ? ` The curves of ${plural(hidden, "more candidate")} are not drawn; the tables below have them.` : "",
      ),
      curvesOf(races, colourOf, look),
      el("h2", {}, "The fastest"),
      el("p", {}, "Click a name to see below why the others lost there."),
      wide("The fastest", mapOf(races, colourOf, choose)),
      table,
    ),
  );
  const contested = races.findIndex((race) => race.sizes.some((size) => size.candidates.length > 1));
  const first = Math.max(0, contested);
  choose(first, firstContested(races[first]!));
}

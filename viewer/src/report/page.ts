// SPDX-License-Identifier: BSD-3-Clause
// Pages of reports: races and tuning (curves, a map of the fastest, why the others lost), and runs of programs (where the time went,
// late ranks, traffic).
import { formatBytes, formatCount, formatTime, plural } from "../model/format";
import { choice, el } from "../page/dom";
import { colours, font, ink, load, type Look } from "../views/look";
import { drawCurves, mostCurves } from "./curves";
import { fastest, names, type Race, reason } from "./race";
import type { RunReport } from "./run";

const time = (seconds: number): string => formatTime(seconds * 1e9, "ns");
const row = (...cells: (Node | string)[]): HTMLElement =>
  el("tr", {}, ...cells.map((cell, i) => el("td", { class: typeof cell !== "string" ? "bars" : i === 0 ? "" : "number" }, cell)));
const head = (...texts: string[]): HTMLElement =>
  el("thead", {}, el("tr", {}, ...texts.map((text) => el("th", { scope: "col" }, text))));

function bar(share: number): HTMLElement {
  const made = el("div", { class: "bar" });
  made.style.width = `${Math.max(0, Math.min(100, 100 * share))}%`;
  return made;
}

// A canvas that is drawn again when its size changes.
function figure(
  label: string,
  height: number,
  draw: (canvas: CanvasRenderingContext2D, width: number, height: number) => void,
): HTMLElement {
  const canvas = el("canvas", { role: "img", "aria-label": label });
  const frame = el("div", { class: "figure" }, canvas);
  frame.style.height = `${height}px`;
  const paint = () => {
    const scale = Math.min(2, window.devicePixelRatio || 1);
    const width = frame.clientWidth;
    if (width < 40) return;
    [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
    const context = canvas.getContext("2d")!;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    draw(context, width, height);
  };
  new ResizeObserver(paint).observe(frame);
  return frame;
}

export function showRaces(root: HTMLElement, races: readonly Race[], look: Look): void {
  const all = names(races);
  const shown = all.slice(0, mostCurves);
  const palette = colours(mostCurves);
  const colourOf = new Map(shown.map((name, i) => [name, palette[i]!]));
  const body = el("div", {});
  let [chosen, size] = [0, 0];
  const paint = () => {
    const race = races[chosen]!;
    size = Math.min(size, race.sizes.length - 1);
    const raced = race.sizes[size]!;
    const best = fastest(raced)!;
    const sizes = choice(
      "Size of a block",
      race.sizes.map((entry, i) => [String(i), formatBytes(entry.bytes)] as const),
      String(size),
      (value) => {
        size = Number(value);
        paint();
      },
    );
    const rows = raced.candidates.map((candidate) =>
      row(
        candidate.name,
        time(candidate.median),
        `${time(candidate.lower)} .. ${time(candidate.upper)}`,
        `${(candidate.median / best.median).toFixed(2)}`,
        candidate.c1 === undefined ? "" : String(candidate.c1),
        candidate.c2 === undefined ? "" : formatBytes(candidate.c2),
        candidate.predicted === undefined ? "" : time(candidate.predicted),
        bar(candidate.median / raced.candidates.at(-1)!.median),
        reason(candidate, best, formatBytes),
      ),
    );
    const left = raced.leftOut.map((entry) => el("li", {}, `${entry.name}: ${entry.reason}`));
    body.replaceChildren(
      figure(`Times of ${plural(all.length, "candidate")} over the size of a block`, 360, (canvas, width, height) =>
        drawCurves(canvas, race, colourOf, size, look, width, height),
      ),
      ...(all.length > shown.length
        ? [el("p", {}, `The curves of ${all.length - shown.length} more candidates are not drawn.`)]
        : []),
      el("h2", {}, "Why the others lost: ", sizes),
      el(
        "table",
        { class: "losers" },
        head("candidate", "median", "interval", "/ fastest", "C1", "C2", "predicted", "", "why"),
        el("tbody", {}, ...rows),
      ),
      ...(left.length ? [el("h3", {}, "Left out"), el("ul", {}, ...left)] : []),
    );
  };
  const map = el(
    "table",
    { class: "map" },
    head("the fastest", ...allSizes(races).map(formatBytes)),
    el(
      "tbody",
      {},
      ...races.map((race, i) => {
        const cells = allSizes(races).map((bytes) => {
          const index = race.sizes.findIndex((entry) => entry.bytes === bytes);
          if (index < 0) return el("td", {});
          const name = fastest(race.sizes[index]!)!.name;
          const press = el("button", { type: "button" }, name);
          const colour = colourOf.get(name);
          if (colour) [press.style.background, press.style.color] = [colour, ink(colour)];
          press.addEventListener("click", () => {
            [chosen, size] = [i, index];
            paint();
          });
          return el("td", {}, press);
        });
        return el("tr", {}, el("th", { scope: "row" }, race.title), ...cells);
      }),
    ),
  );
  root.replaceChildren(
    el("div", { class: "report" }, el("h1", {}, races.length === 1 ? races[0]!.title : `${races.length} races`), map, body),
  );
  paint();
}

const allSizes = (races: readonly Race[]): number[] =>
  [...new Set(races.flatMap((race) => race.sizes.map((size) => size.bytes)))].sort((a, b) => a - b);

function drawTraffic(
  canvas: CanvasRenderingContext2D,
  traffic: readonly (readonly number[])[],
  look: Look,
  width: number,
  height: number,
): void {
  const cell = Math.min(40, (Math.min(width, height) - 40) / traffic.length);
  const most = Math.max(1, ...traffic.map((line) => Math.max(...line)));
  canvas.textAlign = "center";
  canvas.textBaseline = "middle";
  const every = Math.ceil(18 / cell);
  traffic.forEach((line, i) => {
    canvas.font = font(11);
    canvas.fillStyle = look.muted;
    if (i % every === 0) {
      canvas.fillText(`${i}`, 18, 34 + (i + 0.5) * cell);
      canvas.fillText(`${i}`, 34 + (i + 0.5) * cell, 18);
    }
    line.forEach((bytes, j) => {
      canvas.fillStyle = bytes ? load(0.15 + (0.85 * bytes) / most, look) : look.slot;
      canvas.fillRect(
        34 + j * cell,
        34 + i * cell,
        Math.max(0.8, cell - (cell > 6 ? 1 : 0)),
        Math.max(0.8, cell - (cell > 6 ? 1 : 0)),
      );
    });
  });
}

export function showRun(root: HTMLElement, report: RunReport, look: Look): void {
  const rows = report.rows
    .slice(0, 200)
    .map((entry) =>
      row(
        entry.name,
        bar(entry.share),
        `${Math.round(100 * entry.share)} %`,
        formatCount(entry.calls),
        formatCount(entry.oursCalls),
        entry.vendorSeconds === undefined ? "" : time(entry.vendorSeconds),
        entry.ourSeconds === undefined ? "" : time(entry.ourSeconds),
        entry.lateSeconds === undefined ? "" : time(entry.lateSeconds),
        entry.text,
      ),
    );
  const most = Math.max(1e-12, ...report.ranks.map((rank) => rank.inside));
  const early = [...report.ranks].sort((a, b) => a.inside - b.inside);
  const ranks = early
    .slice(0, 64)
    .map((rank) =>
      row(
        `rank ${rank.rank}, ${rank.host}${rank.state === "ended" ? "" : `, ${rank.state}`}`,
        bar(rank.inside / most),
        time(rank.inside),
        time(rank.seconds),
      ),
    );
  root.replaceChildren(
    el(
      "div",
      { class: "report" },
      el("h1", {}, `${report.program} under ${report.mpi}`),
      el(
        "p",
        {},
        `It ran ${time(report.seconds)}, ${Math.round(100 * report.share)} % of that inside collectives. Ranks waited ${time(report.lateSeconds)} for late ranks.`,
      ),
      el("h2", {}, "The costliest calls"),
      el(
        "table",
        { class: "losers" },
        head("call", "", "share", "calls", "by Quadrille", "MPI library's", "ours", "late ranks", "what ran, and why"),
        el("tbody", {}, ...rows),
      ),
      el("h2", {}, "Late ranks"),
      el("p", {}, "Ranks that spend least time in collectives are those that others wait for. They come first."),
      el("table", {}, head("rank", "", "in collectives", "ran"), el("tbody", {}, ...ranks)),
      ...(report.traffic
        ? [
            el("h2", {}, "Traffic"),
            el(
              "p",
              {},
              "From each rank (row) to each rank (column); the most is ",
              formatBytes(Math.max(0, ...report.traffic.map((line) => Math.max(...line)))),
            ),
            figure("Traffic between ranks", 460, (canvas, width, height) =>
              drawTraffic(canvas, report.traffic!, look, width, height),
            ),
          ]
        : []),
    ),
  );
}

// SPDX-License-Identifier: BSD-3-Clause
// The page of a program's run under `quadrille wrap`: where the time went, when, late ranks, traffic.
import { formatBytes, formatCount } from "../model/format";
import { largest } from "../model/numbers";
import { el } from "../page/dom";
import { HeatScale } from "../views/heat";
import { font, type Look } from "../views/look";
import { bar, date, figure, head, row, time, wide } from "./parts";
import type { CostlyCall, RunReport } from "./run";
import { drawTimeline, ranksOf, timelineHeight } from "./timeline";

const mostRows = 200;
const mostListed = 16;
const mostRankRows = 64;

function drawTraffic(
  canvas: CanvasRenderingContext2D,
  traffic: readonly (readonly number[])[],
  look: Look,
  width: number,
  height: number,
): void {
  const cell = Math.min(40, (Math.min(width, height) - 64) / traffic.length);
  const scale = new HeatScale(traffic.flat());
  canvas.textAlign = "center";
  canvas.textBaseline = "middle";
  const every = Math.ceil(18 / cell);
  const side = Math.max(0.8, cell - (cell > 6 ? 1 : 0));
  traffic.forEach((line, i) => {
    canvas.font = font(11);
    canvas.fillStyle = look.muted;
    if (i % every === 0) {
      canvas.fillText(`${i}`, 18, 34 + (i + 0.5) * cell);
      canvas.fillText(`${i}`, 34 + (i + 0.5) * cell, 18);
    }
    line.forEach((bytes, j) => {
      canvas.fillStyle = bytes ? scale.colour(bytes) : look.slot;
      canvas.fillRect(34 + j * cell, 34 + i * cell, side, side);
    });
  });
  scale.draw(canvas, look, 34, 34 + cell * traffic.length + 16, width - 40);
}

function timeline(report: RunReport, calls: readonly CostlyCall[], look: Look): HTMLElement[] {
  const listed = [...calls].sort((a, b) => b.seconds - a.seconds).slice(0, mostListed);
  return [
    el("h2", {}, "When the costliest calls happened"),
    el(
      "p",
      {},
      "The calls in which each rank spent most time, waiting included; a row for each rank. Ranks on several machines are aligned by the machines' clocks.",
    ),
    figure(
      `Timeline of the costliest calls of ${ranksOf(calls).length} ranks`,
      timelineHeight(ranksOf(calls).length),
      (canvas, width, height) => drawTimeline(canvas, calls, report.seconds, look, width, height),
    ),
    wide(
      "The costliest calls",
      el(
        "table",
        { class: "losers" },
        head("call", "rank", "began at", "took", "", "run by"),
        el(
          "tbody",
          {},
          ...listed.map((call) =>
            row(call.name, `${call.rank}`, time(call.begin), time(call.seconds), bar(call.seconds / listed[0]!.seconds), call.by),
          ),
        ),
      ),
    ),
  ];
}

function calls(report: RunReport): HTMLElement[] {
  const rows = report.rows
    .slice(0, mostRows)
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
  return [
    el("h2", {}, "Calls by kind, the costliest first"),
    wide(
      "Calls by kind",
      el(
        "table",
        { class: "losers" },
        head("call", "", "share", "calls", "by Quadrille", "MPI library's", "ours", "late ranks", "what ran, and why"),
        el("tbody", {}, ...rows),
      ),
    ),
  ];
}

function lateRanks(report: RunReport): HTMLElement[] {
  const most = largest(
    report.ranks.map((rank) => rank.inside),
    1e-12,
  );
  const early = [...report.ranks].sort((a, b) => a.inside - b.inside);
  const rows = early
    .slice(0, mostRankRows)
    .map((rank) =>
      row(
        `rank ${rank.rank}, ${rank.host}${rank.state === "ended" ? "" : `, ${rank.state}`}`,
        bar(rank.inside / most),
        time(rank.inside),
        time(rank.seconds),
      ),
    );
  return [
    el("h2", {}, "Late ranks"),
    el("p", {}, "Ranks that spend least time in collectives are those that others wait for. They come first."),
    el("table", {}, head("rank", "", "in collectives", "ran"), el("tbody", {}, ...rows)),
  ];
}

function traffic(report: RunReport, look: Look): HTMLElement[] {
  const bytes = report.traffic;
  if (!bytes) return [];
  return [
    el("h2", {}, "Traffic"),
    el(
      "p",
      {},
      `From each rank (row) to each rank (column); the most is ${formatBytes(largest(bytes.map((line) => largest(line))))}.`,
    ),
    figure("Traffic between ranks", 460, (canvas, width, height) => drawTraffic(canvas, bytes, look, width, height)),
  ];
}

export function showRun(root: HTMLElement, report: RunReport, look: Look): void {
  const where = [`${report.ranks.length} ranks`, report.hosts.join(", "), report.start === undefined ? "" : date(report.start)];
  root.replaceChildren(
    el(
      "div",
      { class: "report" },
      el("h1", {}, `${report.program} under ${report.mpi}`),
      el("p", {}, `${where.filter(Boolean).join("; ")}.`),
      el(
        "p",
        {},
        `It ran ${time(report.seconds)}, ${Math.round(100 * report.share)} % of that inside collectives. Ranks waited ${time(report.lateSeconds)} for late ranks.`,
      ),
      ...(report.costliest.length ? timeline(report, report.costliest, look) : []),
      ...calls(report),
      ...lateRanks(report),
      ...traffic(report, look),
    ),
  );
}

// SPDX-License-Identifier: BSD-3-Clause
// Parts of which pages of reports are made: tables, bars, and figures on a canvas.
import { formatTime } from "../model/format";
import { el } from "../page/dom";

export const time = (seconds: number): string => formatTime(seconds * 1e9, "ns");

// "2026-11-24 09:30 UTC"
export const date = (unixSeconds: number): string =>
  `${new Date(unixSeconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;

// A text in the first column is left-aligned, further texts are numbers; elements are bars.
export const row = (...cells: (Node | string)[]): HTMLElement =>
  el("tr", {}, ...cells.map((cell, i) => el("td", { class: typeof cell !== "string" ? "bars" : i === 0 ? "" : "number" }, cell)));

export const head = (...texts: string[]): HTMLElement =>
  el("thead", {}, el("tr", {}, ...texts.map((text) => el("th", { scope: "col" }, text))));

// A table that scrolls by itself where the page is narrower.
export const wide = (label: string, table: HTMLElement): HTMLElement =>
  el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": label }, table);

export function bar(share: number): HTMLElement {
  const made = el("div", { class: "bar" });
  made.style.width = `${Math.max(0, Math.min(100, 100 * share))}%`;
  return made;
}

// A canvas that is drawn again when its size changes.
export function figure(
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

// SPDX-License-Identifier: BSD-3-Clause
// The page of a projected run: a row for each rank, first by the MPI library's collectives, then by ours, on one axis of time.
import { scaleLinear } from "d3-scale";
import { formatTime, plural } from "../model/format";
import { button, el } from "../page/dom";
import { colours, font, mixed, type Look } from "../views/look";
import { labelStep } from "../views/view";
import { figure, head, row, time } from "./parts";
import {
  collectives,
  computing,
  moved,
  parts,
  partTimes,
  pieceAt,
  pointToPoint,
  waiting,
  wholeSpan,
  zoomed,
  type ProjectedRun,
  type ProjectedSide,
  type Span,
} from "./projection";

const [left, right, titleHeight, axisHeight, gap] = [46, 14, 20, 24, 10];

// Colours of names: each collective has its own, the rest have that of their part.
function coloursOf(run: ProjectedRun, look: Look): { names: string[]; legend: (readonly [string, string])[] } {
  const calls = new Set<number>();
  const partOf = new Map<number, number>();
  for (const side of run.sides)
    side.name.forEach((name, i) => {
      if (side.part[i] === collectives) calls.add(name);
      else partOf.set(name, side.part[i]!);
    });
  const inOrder = [...calls].sort((a, b) => a - b);
  const palette = colours(inOrder.length);
  const ofPart = [mixed(look.page, look.text, 0.4), look.wait, "", look.accent, mixed(look.page, look.text, 0.75)];
  const names = run.names.map((_, name) => {
    const place = inOrder.indexOf(name);
    return place >= 0 ? palette[place]! : ofPart[partOf.get(name) ?? computing]!;
  });
  const shown = [computing, waiting, pointToPoint, 4].filter((part) => run.sides.some((side) => side.part.includes(part)));
  const legend = [
    ...inOrder.map((name) => [run.names[name]!, names[name]!] as const),
    ...shown.map((part) => [parts[part]!, ofPart[part]!] as const),
  ];
  return { names, legend };
}

class Timeline {
  private readonly whole: Span;
  private span: Span;
  private readonly colourOf: string[];
  private readonly rowHeight: number;
  private readonly told = el("p", { class: "facts", "aria-live": "polite" }, "Point at a piece to read what it is.");
  private readonly table = el("tbody");
  private canvas: HTMLCanvasElement | undefined;
  private width = 1;
  private repaint = () => {};

  constructor(
    private readonly run: ProjectedRun,
    private readonly look: Look,
  ) {
    this.whole = this.span = wholeSpan(run);
    this.colourOf = coloursOf(run, look).names;
    this.rowHeight = Math.max(2, Math.min(16, Math.floor(420 / run.ranks)));
  }

  elements(): HTMLElement[] {
    const shown = figure(
      `Time lines of ${plural(this.run.ranks, "rank")}, once by each side's collectives`,
      this.height,
      (canvas, width) => {
        this.width = width;
        this.repaint = () => this.draw(canvas);
        this.repaint();
      },
    );
    this.canvas = shown.querySelector("canvas")!;
    this.canvas.tabIndex = 0;
    this.listen(this.canvas);
    this.fillTable();
    const middle = () => (this.span.from + this.span.to) / 2;
    const controls = el(
      "p",
      {},
      button("+", "look closer", () => this.show(zoomed(this.span, this.whole, 0.5, middle()))),
      " ",
      button("−", "look from further away", () => this.show(zoomed(this.span, this.whole, 2, middle()))),
      " ",
      button("‹", "earlier", () => this.move(-0.5)),
      " ",
      button("›", "later", () => this.move(0.5)),
      " ",
      button("all", "the whole time line", () => this.show(this.whole)),
    );
    const table = el(
      "table",
      {},
      head("in what is shown, mean of the ranks", ...this.run.sides.map((side) => side.title)),
      this.table,
    );
    return [this.legend(), controls, shown, this.told, table];
  }

  private legend(): HTMLElement {
    const entries = coloursOf(this.run, this.look).legend.flatMap(([name, colour]) => {
      const box = el("span", { class: "swatch" });
      box.style.background = colour;
      return [box, ` ${name}  `];
    });
    return el("p", { class: "legend" }, ...entries);
  }

  private get sideHeight(): number {
    return titleHeight + this.run.ranks * this.rowHeight + gap;
  }

  private get height(): number {
    return this.run.sides.length * this.sideHeight + axisHeight;
  }

  private listen(canvas: HTMLCanvasElement): void {
    let grabbed: number | undefined;
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey && !event.shiftKey && event.deltaX === 0) return; // the page scrolls
        event.preventDefault();
        if (event.ctrlKey || event.metaKey)
          this.show(zoomed(this.span, this.whole, Math.exp(event.deltaY / 300), this.timeAt(event.offsetX)));
        else this.move((event.deltaX || event.deltaY) / this.width);
      },
      { passive: false },
    );
    canvas.addEventListener("dblclick", (event) => this.show(zoomed(this.span, this.whole, 0.4, this.timeAt(event.offsetX))));
    canvas.addEventListener("pointerdown", (event) => {
      grabbed = event.offsetX;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", () => (grabbed = undefined));
    canvas.addEventListener("pointermove", (event) => {
      if (grabbed === undefined) return this.tell(event.offsetX, event.offsetY);
      this.move((grabbed - event.offsetX) / (this.width - left - right));
      grabbed = event.offsetX;
    });
    canvas.addEventListener("keydown", (event) => {
      const middle = (this.span.from + this.span.to) / 2;
      if (event.key === "ArrowLeft") this.move(-0.2);
      else if (event.key === "ArrowRight") this.move(0.2);
      else if (event.key === "+") this.show(zoomed(this.span, this.whole, 0.5, middle));
      else if (event.key === "-") this.show(zoomed(this.span, this.whole, 2, middle));
      else if (event.key === "Home") this.show(this.whole);
      else return;
      event.preventDefault();
    });
  }

  private show(span: Span): void {
    this.span = span;
    this.repaint();
    this.fillTable();
  }

  private move(share: number): void {
    this.show(moved(this.span, this.whole, share * (this.span.to - this.span.from)));
  }

  private timeAt(x: number): number {
    return this.span.from + ((x - left) / (this.width - left - right)) * (this.span.to - this.span.from);
  }

  private tell(x: number, y: number): void {
    const at = Math.floor(y / this.sideHeight);
    const side = this.run.sides[at];
    const rank = Math.floor((y - at * this.sideHeight - titleHeight) / this.rowHeight);
    if (!side || rank < 0 || rank >= this.run.ranks) return;
    const when = this.timeAt(x);
    const piece = pieceAt(side, rank, when);
    if (piece >= side.first[rank + 1]! || side.begin[piece]! > when) return;
    this.told.textContent = this.textOf(side, rank, piece);
  }

  private textOf(side: ProjectedSide, rank: number, piece: number): string {
    const [begin, end] = [side.begin[piece]!, side.end[piece]!];
    const last = side.last[piece]!;
    return [
      `${side.title}, rank ${rank}: ${this.run.names[side.name[piece]!]}, ${formatTime(end - begin, "ns")} from ${formatTime(begin, "ns")} on`,
      this.run.details[side.detail[piece]!]!,
      last < 0 ? "" : `rank ${last} entered last`,
    ]
      .filter(Boolean)
      .join("; ");
  }

  private fillTable(): void {
    const times = this.run.sides.map((side) => partTimes(this.run, side, this.span));
    this.table.replaceChildren(...parts.map((name, part) => row(name, ...times.map((of) => time(of[part]!)))));
  }

  private draw(canvas: CanvasRenderingContext2D): void {
    canvas.clearRect(0, 0, this.width, this.height);
    const x = scaleLinear([this.span.from, this.span.to], [left, this.width - right]);
    canvas.textBaseline = "middle";
    this.run.sides.forEach((side, i) => {
      const top = i * this.sideHeight + titleHeight;
      canvas.font = font(12, 600);
      canvas.textAlign = "left";
      canvas.fillStyle = this.look.text;
      canvas.fillText(side.title, left, top - titleHeight / 2);
      canvas.font = font(11);
      canvas.textAlign = "right";
      canvas.fillStyle = this.look.muted;
      const every = labelStep(12, this.rowHeight);
      for (let rank = 0; rank < this.run.ranks; ++rank) {
        if (rank % every === 0) canvas.fillText(`${rank}`, left - 6, top + (rank + 0.5) * this.rowHeight);
        this.drawRank(canvas, side, rank, top + rank * this.rowHeight, x);
        canvas.fillStyle = this.look.muted;
      }
    });
    canvas.textAlign = "center";
    const bottom = this.height - axisHeight;
    for (const tick of x.ticks(8)) {
      canvas.fillStyle = this.look.muted;
      canvas.fillRect(x(tick), bottom, 1, 4);
      canvas.fillText(formatTime(tick, "ns"), Math.min(x(tick), this.width - 20), bottom + 14);
    }
  }

  // Of pieces that share a column of pixels, the name with most time is drawn.
  private drawRank(
    canvas: CanvasRenderingContext2D,
    side: ProjectedSide,
    rank: number,
    top: number,
    x: (time: number) => number,
  ) {
    const height = Math.max(1, this.rowHeight - (this.rowHeight > 3 ? 1 : 0));
    const inColumn = new Map<number, number>(); // by name
    let column = -1;
    const flush = () => {
      if (inColumn.size === 0) return;
      const [name] = [...inColumn].reduce((a, b) => (b[1] > a[1] ? b : a));
      canvas.fillStyle = this.colourOf[name]!;
      canvas.fillRect(column, top, 1, height);
      inColumn.clear();
    };
    for (let i = pieceAt(side, rank, this.span.from); i < side.first[rank + 1]! && side.begin[i]! < this.span.to; ++i) {
      const [from, to] = [Math.max(left, x(side.begin[i]!)), Math.min(this.width - right, x(side.end[i]!))];
      if (Math.floor(from) !== column) flush();
      if (to - from < 1) {
        column = Math.floor(from);
        inColumn.set(side.name[i]!, (inColumn.get(side.name[i]!) ?? 0) + to - from);
        continue;
      }
      flush();
      column = -1;
      canvas.fillStyle = this.colourOf[side.name[i]!]!;
      canvas.fillRect(from, top, to - from, height);
    }
    flush();
  }
}

export function showProjection(root: HTMLElement, run: ProjectedRun, look: Look): void {
  root.replaceChildren(
    el(
      "div",
      { class: "report" },
      el("h1", {}, run.title),
      el("p", {}, run.sentence),
      el("p", {}, run.text),
      el(
        "p",
        {},
        "A row is a rank. Drag to move; Ctrl and the wheel, a double click, or the keys + and − to look closer; Home shows all.",
      ),
      ...new Timeline(run, look).elements(),
    ),
  );
}

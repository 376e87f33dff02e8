// SPDX-License-Identifier: BSD-3-Clause
// A pane shows one of the views of one exchange.
import { memory } from "../views/memory";
import { network } from "../views/network";
import { figuresPanel, findingsPanel, type Jump, type Panel, textPanel, wayPanel } from "../views/panels";
import { time } from "../views/time";
import { traffic } from "../views/traffic";
import type { CanvasView, Frame, Pick } from "../views/view";
import { el } from "./dom";
import type { ViewName } from "./state";

const canvasViews: Partial<Record<ViewName, CanvasView>> = { memory, network, time, traffic };
const panels: Partial<Record<ViewName, Panel>> = {
  figures: figuresPanel,
  text: textPanel,
  way: wayPanel,
  findings: findingsPanel,
};

const arrows: Record<string, readonly [x: number, y: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const [stride, nextLine] = [3, 11]; // pixels by which keys look for the next thing along a line, and from line to line

export type MakeFrame = (width: number, height: number) => Frame;

export class Pane {
  readonly element = el("div", { class: "pane" });
  private readonly canvas = el("canvas", { role: "img", tabindex: "0" });
  private readonly content = el("div", { class: "content", tabindex: "0" });
  private readonly tip = el("div", { class: "tip", role: "status", hidden: "" });
  private readonly mark = el("div", { class: "point", hidden: "" }); // where keys point
  private point: readonly [x: number, y: number] | undefined;
  private keys: unknown[] | undefined;
  private marked = -1;
  private frame: Frame | undefined;
  private view: ViewName;

  constructor(
    view: ViewName,
    private readonly jump: (to: Jump) => void,
  ) {
    this.view = view;
    this.element.append(this.canvas, this.content, this.mark, this.tip);
    this.canvas.addEventListener("click", (event) => this.clicked(this.picked(event.offsetX, event.offsetY)));
    this.canvas.addEventListener("pointermove", (event) => this.hovered(event.offsetX, event.offsetY));
    this.canvas.addEventListener("pointerleave", () => this.leave());
    this.canvas.addEventListener("keydown", (event) => this.pressed(event));
    this.canvas.addEventListener("blur", () => this.leave());
  }

  show(view: ViewName): void {
    if (view !== this.view) this.leave();
    this.view = view;
  }

  draw(make: MakeFrame): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width < 40 || height < 40) return;
    const frame = (this.frame = make(width, height));
    const canvasView = canvasViews[this.view];
    this.canvas.hidden = !canvasView;
    this.content.hidden = !!canvasView;
    if (canvasView) this.drawCanvas(canvasView, frame);
    else this.drawPanel(panels[this.view]!, frame);
  }

  describe(): void {
    const view = canvasViews[this.view];
    if (view && this.frame) this.canvas.setAttribute("aria-label", view.describe(this.frame));
  }

  private drawCanvas(view: CanvasView, frame: Frame): void {
    // At many ranks single pixels are cells already, and each costs time.
    const scale = frame.exchange.ranks > 48 ? 1 : Math.min(2, window.devicePixelRatio || 1);
    const [width, height] = [Math.round(frame.width * scale), Math.round(frame.height * scale)];
    if (this.canvas.width !== width || this.canvas.height !== height) [this.canvas.width, this.canvas.height] = [width, height];
    const context = this.canvas.getContext("2d", { alpha: false })!;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = frame.look.page;
    context.fillRect(0, 0, frame.width, frame.height);
    view.draw(context, frame);
  }

  private drawPanel(panel: Panel, frame: Frame): void {
    const keys = [panel, ...panel.keys(frame)];
    if (!this.keys || this.keys.length !== keys.length || this.keys.some((key, i) => key !== keys[i])) {
      this.content.replaceChildren(panel.make(frame, this.jump));
      this.keys = keys;
      this.marked = -1;
    }
    const round = frame.position >= frame.exchange.rounds.length ? -2 : frame.round;
    if (round === this.marked) return;
    this.marked = round;
    let first: HTMLElement | undefined;
    for (const item of this.content.querySelectorAll<HTMLElement>("[data-round]")) {
      const current = Number(item.dataset["round"]) === round;
      item.classList.toggle("current", current);
      if (current) first ??= item;
    }
    if (first)
      this.content.scrollTop +=
        first.getBoundingClientRect().top - this.content.getBoundingClientRect().top - this.content.clientHeight / 3;
  }

  private picked(x: number, y: number): Pick | undefined {
    const view = canvasViews[this.view];
    return view && this.frame ? view.pick(this.frame, x, y) : undefined;
  }

  private clicked(pick: Pick | undefined): void {
    if (!pick) this.jump({ selection: { rank: undefined, block: undefined } });
    else if (pick.selection || pick.position !== undefined) this.jump({ selection: pick.selection, position: pick.position });
  }

  private hovered(x: number, y: number): void {
    const pick = this.picked(x, y);
    this.tip.hidden = !pick;
    if (!pick) return;
    this.tip.textContent = pick.text;
    const { clientWidth, clientHeight } = this.element;
    this.tip.style.left = `${Math.max(4, Math.min(x + 12, clientWidth - this.tip.offsetWidth - 8))}px`;
    this.tip.style.top = `${Math.max(4, Math.min(y + 18, clientHeight - this.tip.offsetHeight - 8))}px`;
  }

  // With Shift, arrows point at the next thing that the view explains, line by line; Enter does what a click there does.
  private pressed(event: KeyboardEvent): void {
    const way = event.shiftKey ? arrows[event.key] : undefined;
    const enters = event.key === "Enter" && this.point;
    if (!way && !enters) return;
    event.preventDefault();
    event.stopPropagation();
    if (enters) return this.clicked(this.picked(...enters));
    const next = this.nextThing(way!);
    if (!next) return;
    this.point = next;
    this.mark.hidden = false;
    [this.mark.style.left, this.mark.style.top] = [`${next[0]}px`, `${next[1]}px`];
    this.hovered(...next);
  }

  private nextThing([right, down]: readonly [number, number]): readonly [number, number] | undefined {
    const { clientWidth: width, clientHeight: height } = this.element;
    const [along, across] = right ? [width, height] : [height, width];
    const here = this.point ? this.picked(...this.point)?.text : undefined;
    const step = stride * (right + down);
    let [at, line] = this.point ? (right ? this.point : [this.point[1], this.point[0]]) : [step > 0 ? 0 : along, across / 2];
    for (let left = (along / stride + 1) * (across / nextLine + 1); left > 0; --left) {
      at += step;
      if (at < 0 || at > along) {
        at = step > 0 ? 0 : along;
        line = (line + Math.sign(step) * nextLine + across) % across;
      }
      const point = right ? ([at, line] as const) : ([line, at] as const);
      const text = this.picked(...point)?.text;
      if (text !== undefined && text !== here) return point;
    }
    return undefined;
  }

  private leave(): void {
    this.tip.hidden = this.mark.hidden = true;
    this.point = undefined;
  }
}

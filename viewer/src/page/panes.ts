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

export type MakeFrame = (width: number, height: number) => Frame;

export class Pane {
  readonly element = el("div", { class: "pane" });
  private readonly canvas = el("canvas", { role: "img" });
  private readonly content = el("div", { class: "content", tabindex: "0" });
  private readonly tip = el("div", { class: "tip", hidden: "" });
  private keys: unknown[] | undefined;
  private marked = -1;
  private frame: Frame | undefined;
  private view: ViewName;

  constructor(
    view: ViewName,
    private readonly jump: (to: Jump) => void,
  ) {
    this.view = view;
    this.element.append(this.canvas, this.content, this.tip);
    this.canvas.addEventListener("click", (event) => this.clicked(event));
    this.canvas.addEventListener("pointermove", (event) => this.hovered(event));
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
  }

  show(view: ViewName): void {
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

  private picked(event: MouseEvent): Pick | undefined {
    const view = canvasViews[this.view];
    return view && this.frame ? view.pick(this.frame, event.offsetX, event.offsetY) : undefined;
  }

  private clicked(event: MouseEvent): void {
    const pick = this.picked(event);
    if (!pick) this.jump({ selection: { rank: undefined, block: undefined } });
    else if (pick.selection || pick.position !== undefined) this.jump({ selection: pick.selection, position: pick.position });
  }

  private hovered(event: PointerEvent): void {
    const pick = this.picked(event);
    this.tip.hidden = !pick;
    if (!pick) return;
    this.tip.textContent = pick.text;
    const { clientWidth, clientHeight } = this.element;
    this.tip.style.left = `${Math.max(4, Math.min(event.offsetX + 12, clientWidth - this.tip.offsetWidth - 8))}px`;
    this.tip.style.top = `${Math.max(4, Math.min(event.offsetY + 18, clientHeight - this.tip.offsetHeight - 8))}px`;
  }
}

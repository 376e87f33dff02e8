// SPDX-License-Identifier: BSD-3-Clause
// The page of one exchange, or of two side by side: controls, panes, and the loop that draws them.
import type { PageData } from "../load/document";
import type { Exchange } from "../model/exchange";
import { advanced, roundTimes } from "../model/clock";
import { firstDifference } from "../model/compare";
import { follow } from "../model/follow";
import { Replay } from "../model/replay";
import type { Jump } from "../views/panels";
import { type Frame, remembered } from "../views/view";
import { button, choice, el } from "./dom";
import { fromFragment, toFragment } from "./fragment";
import { listenToKeys } from "./keyboard";
import { type MakeFrame, Pane } from "./panes";
import { Player } from "./player";
import { find } from "./search";
import { lookOf, setTheme } from "./theme";
import { type State, Store, type ViewName, viewNames } from "./state";

const wayOf = remembered(follow);
const timesOf = remembered(roundTimes);

function firstViews(exchange: Exchange): [ViewName, ViewName] {
  if (exchange.findings.length) return ["memory", "findings"];
  return exchange.buffers.some((sizes) => sizes.some((bytes) => bytes > 0)) ? ["memory", "network"] : ["network", "text"];
}

export class App {
  private readonly store: Store;
  private readonly replays: Replay[];
  private readonly rounds: number;
  private readonly panes: Pane[];
  private readonly tabs: HTMLElement[] = [];
  private readonly notice = el("output", { class: "notice", "aria-live": "polite" });
  private last = 0; // when the last frame was drawn
  private drawn = true;

  constructor(
    private readonly root: HTMLElement,
    private readonly data: PageData,
  ) {
    const { exchanges } = data;
    this.replays = exchanges.map((exchange) => new Replay(exchange));
    this.rounds = Math.max(...exchanges.map((exchange) => exchange.rounds.length));
    const two = exchanges.length > 1;
    const start: State = {
      position: 0,
      playing: false,
      speed: Math.max(0.5, Math.min(5, this.rounds / 24)),
      rank: undefined,
      block: undefined,
      views: two ? ["memory", "memory"] : firstViews(exchanges[0]!),
      colourBy: "origin",
      sum: false,
      pace: 0,
      theme: "auto",
    };
    const speeds = [0.25, 0.5, 1, 2, 5, 20];
    start.speed = speeds.find((speed) => speed >= start.speed)!;
    this.store = new Store({ ...start, ...fromFragment(location.hash, exchanges[0]!, this.rounds, start.views) });
    const jump = (to: Jump) => this.jump(to);
    this.panes = [
      new Pane(this.store.state.views[0], jump),
      new Pane(this.store.state.views[1], jump),
      ...exchanges.map(() => new Pane("time", jump)),
    ];
    this.build();
    this.store.listen((state) => this.changed(state));
    this.changed(this.store.state);
    window.addEventListener("resize", () => this.request());
    window.addEventListener("hashchange", () =>
      this.store.set(fromFragment(location.hash, exchanges[0]!, this.rounds, this.store.state.views)),
    );
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.changed(this.store.state));
  }

  private jump({ selection, position }: Jump): void {
    const change: Partial<State> = {};
    if (position !== undefined) Object.assign(change, { position, playing: false });
    if (selection && "rank" in selection) change.rank = selection.rank;
    if (selection && "block" in selection) change.block = selection.block;
    this.store.set(change);
  }

  private build(): void {
    const [first] = this.data.exchanges;
    const player = new Player(this.store, this.rounds, this.longest);
    const search = el("input", {
      type: "search",
      placeholder: "rank, round, 2>7, stage",
      "aria-label": "Search for a rank, a round, a block or a stage",
    });
    search.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        search.value = this.notice.textContent = "";
        search.blur();
      }
      if (event.key !== "Enter") return;
      const found = find(search.value, first!, this.replays[0]!);
      this.notice.textContent = typeof found === "string" ? found : "";
      if (typeof found === "string") return;
      this.store.set({ ...found, playing: false });
      search.blur(); // so that keys play and step
    });
    const colour = choice(
      "Colours of blocks",
      [
        ["origin", "colour: origin"],
        ["target", "colour: target"],
      ],
      this.store.state.colourBy,
      (value) => this.store.set({ colourBy: value as State["colourBy"] }),
    );
    const sum = choice(
      "Loads",
      [
        ["0", "loads: this round"],
        ["1", "loads: until now"],
      ],
      this.store.state.sum ? "1" : "0",
      (value) => this.store.set({ sum: value === "1" }),
    );
    const theme = choice(
      "Theme",
      [
        ["auto", "theme: auto"],
        ["light", "light"],
        ["dark", "dark"],
      ],
      this.store.state.theme,
      (value) => this.store.set({ theme: value as State["theme"] }),
    );
    const pace = choice(
      "Pace of playing",
      this.longest.clocks.map((clock, i) => [String(i), `pace: ${clock.kind === "logical" ? "rounds" : clock.title}`] as const),
      String(this.store.state.pace),
      (value) => this.store.set({ pace: Number(value) }),
    );
    pace.hidden = this.longest.clocks.length === 1;
    const clear = button("clear", "Clear the selection (Escape)", () => this.store.set({ rank: undefined, block: undefined }));
    const title = this.data.title ?? this.data.exchanges.map((exchange) => exchange.title).join(" and ");
    const header = el(
      "header",
      {},
      el("h1", { title }, title),
      el("div", { class: "tools" }, search, clear, colour, sum, pace, theme),
    );
    if (this.data.links.length)
      header.prepend(
        el("nav", { "aria-label": "Gallery" }, ...this.data.links.map((link) => el("a", { href: link.file }, link.text))),
      );
    const about = this.about();
    const times = el("section", { class: "times", "aria-label": "Time" }, ...this.panes.slice(2).map((pane) => pane.element));
    times.style.height = `min(${this.data.exchanges.some((exchange) => exchange.clocks.length > 1) ? 42 : 34}vh, ${Math.max(...this.data.exchanges.map((exchange) => exchange.clocks.length * (46 + 22 * exchange.ranks)))}px)`;
    const main = el(
      "main",
      this.data.exchanges.length > 1 ? { class: "two" } : {},
      ...[0, 1].map((side) => this.side(side as 0 | 1)),
    );
    this.root.replaceChildren(header, ...about, this.notice, player.element, main, times);
    listenToKeys(this.store, player, search, first!.ranks);
  }

  private about(): HTMLElement[] {
    const texts = this.data.text ? [el("p", { class: "about" }, this.data.text)] : [];
    const [left, right] = this.data.exchanges;
    if (!right) return texts;
    const difference = firstDifference(left!, right);
    const line = el(
      "p",
      { class: "about" },
      difference ? `First difference in round ${difference.round}: ${difference.text}. ` : "Both do the same in every round.",
    );
    if (difference)
      line.append(
        button("go there", "Go to the first difference", () => this.store.set({ position: difference.round, playing: false })),
      );
    return [...texts, line];
  }

  private side(side: 0 | 1): HTMLElement {
    const tabs = el("div", { class: "tabs", role: "tablist", "aria-label": side === 0 ? "Left view" : "Right view" });
    for (const name of viewNames) {
      const tab = el("button", { type: "button", role: "tab", "data-view": name }, name);
      tab.addEventListener("click", () => this.choose(side, name));
      tabs.append(tab);
    }
    this.tabs.push(tabs);
    const exchange = this.data.exchanges[Math.min(side, this.data.exchanges.length - 1)]!;
    const name = this.data.exchanges.length > 1 ? [el("h2", {}, exchange.title)] : [];
    return el(
      "section",
      { class: "side", "aria-label": side === 0 ? "Left" : "Right" },
      ...name,
      tabs,
      this.panes[side]!.element,
    );
  }

  // Two exchanges are compared in the same view.
  private choose(side: 0 | 1, name: ViewName): void {
    const views: [ViewName, ViewName] = [...this.store.state.views];
    views[side] = name;
    this.store.set({ views: this.data.exchanges.length > 1 ? [name, name] : views });
  }

  private changed(state: Readonly<State>): void {
    setTheme(state.theme);
    state.views.forEach((view, side) => {
      this.panes[side]!.show(view);
      for (const tab of this.tabs[side]!.children)
        tab.setAttribute("aria-selected", String(tab.getAttribute("data-view") === view));
    });
    this.request();
  }

  private request(): void {
    if (!this.drawn) return;
    this.drawn = false;
    requestAnimationFrame((now) => this.tick(now));
  }

  private tick(now: number): void {
    this.drawn = true;
    const { playing, position, speed } = this.store.state;
    const passed = Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    if (playing) {
      const next = this.next(position, passed * speed);
      this.store.set(next >= this.rounds ? { position: this.rounds, playing: false } : { position: next });
    }
    this.draw();
    if (!playing) this.settle();
  }

  private next(position: number, rounds: number): number {
    const exchange = this.longest;
    const clock = exchange.clocks[this.store.state.pace]!;
    if (clock.kind === "logical" || position >= exchange.rounds.length) return position + rounds;
    return advanced(timesOf(exchange, clock), position, rounds);
  }

  // The exchange with the most rounds, by which two play.
  private get longest(): Exchange {
    return this.data.exchanges.find((exchange) => exchange.rounds.length === this.rounds)!;
  }

  private draw(): void {
    const two = this.data.exchanges.length > 1;
    this.panes.forEach((pane, i) => pane.draw(this.framer(i < 2 ? (two ? i : 0) : i - 2)));
  }

  // What needs to be right only while nothing moves.
  private settle(): void {
    for (const pane of this.panes) pane.describe();
    const fragment = toFragment(this.store.state);
    if (fragment !== location.hash) history.replaceState(null, "", fragment);
  }

  private framer(index: number): MakeFrame {
    const exchange: Exchange = this.data.exchanges[index]!;
    const replay = this.replays[index]!;
    const { position, rank, block, colourBy, sum, theme } = this.store.state;
    const last = exchange.rounds.length;
    const at = Math.min(position, last);
    // With reduced motion blocks do not fly: a round is shown as it begins.
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const round = Math.min(Math.floor(at), last);
    return (width, height): Frame => ({
      exchange,
      replay,
      position: at,
      round,
      share: still ? 0 : at - round,
      selection: { rank: rank !== undefined && rank < exchange.ranks ? rank : undefined, block },
      way: block && block.origin < exchange.ranks ? wayOf(replay, block) : undefined,
      colourBy,
      sum,
      look: lookOf(theme),
      width,
      height,
    });
  }
}

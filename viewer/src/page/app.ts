// SPDX-License-Identifier: BSD-3-Clause
// The page of one exchange, or of two side by side: controls, panes, and the loop that draws them.
import type { PageData } from "../load/document";
import type { Exchange } from "../model/exchange";
import { firstDifference } from "../model/compare";
import { follow } from "../model/follow";
import { OneClock, type Pace, pacesOf } from "../model/one_clock";
import { Replay } from "../model/replay";
import type { Jump } from "../views/panels";
import { type Frame, remembered } from "../views/view";
import { button, choice, el } from "./dom";
import { fromFragment, toFragment } from "./fragment";
import { listenToKeys } from "./keyboard";
import { type MakeFrame, Pane } from "./panes";
import { Player } from "./player";
import { find } from "./search";
import { roundSentence, Teller } from "./teller";
import { Words } from "./words";
import { lookOf, setTheme } from "./theme";
import { type State, Store, type ViewName, viewNames } from "./state";

const wayOf = remembered(follow);

function firstViews(exchange: Exchange): [ViewName, ViewName] {
  if (exchange.findings.length) return ["memory", "findings"];
  return exchange.buffers.some((sizes) => sizes.some((bytes) => bytes > 0)) ? ["memory", "network"] : ["network", "text"];
}

export class App {
  private readonly store: Store;
  private readonly replays: Replay[];
  private readonly paces: readonly Pace[];
  private readonly tellers: readonly Teller[];
  private clock: OneClock;
  private readonly panes: Pane[];
  private readonly tabs: HTMLElement[] = [];
  private readonly words: Words[] = [];
  private readonly verdict = el("p", { class: "verdict" });
  private readonly notice = el("output", { class: "notice", "aria-live": "polite" });
  private last = 0; // when the last frame was drawn
  private drawn = true;

  constructor(
    private readonly root: HTMLElement,
    private readonly data: PageData,
  ) {
    const { exchanges } = data;
    this.replays = exchanges.map((exchange) => new Replay(exchange));
    this.tellers = exchanges.map((exchange, i) => new Teller(exchange, this.replays[i]!));
    this.paces = pacesOf(exchanges);
    this.clock = new OneClock(exchanges, this.paces[0]!);
    const mostRounds = this.clock.rounds;
    const two = exchanges.length > 1;
    const start: State = {
      position: 0,
      playing: false,
      speed: Math.max(0.5, Math.min(5, mostRounds / 24)),
      rank: undefined,
      block: undefined,
      views: two ? ["memory", "memory"] : firstViews(exchanges[0]!),
      colourBy: "origin",
      sum: false,
      pace: "rounds",
      theme: "auto",
    };
    const speeds = [0.25, 0.5, 1, 2, 5, 20];
    start.speed = speeds.find((speed) => speed >= start.speed)!;
    this.store = new Store({ ...start, ...this.fromAddress(start) });
    this.setClock(this.store.state.pace);
    const jumpFrom = (index: number) => (to: Jump) => this.jump(index, to);
    this.panes = [
      new Pane(this.store.state.views[0], jumpFrom(0)),
      new Pane(this.store.state.views[1], jumpFrom(two ? 1 : 0)),
      ...exchanges.map((_, i) => new Pane("time", jumpFrom(i))),
    ];
    this.build();
    this.store.listen((state) => this.changed(state));
    this.changed(this.store.state);
    window.addEventListener("resize", () => this.request());
    window.addEventListener("hashchange", () => this.store.set(this.fromAddress(this.store.state)));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.changed(this.store.state));
  }

  private fromAddress({ views }: Readonly<State>): Partial<State> {
    const keys = this.paces.map((pace) => pace.key);
    const most = Math.max(...this.data.exchanges.map((exchange) => exchange.rounds.length));
    return fromFragment(location.hash, this.data.exchanges[0]!, most, views, keys);
  }

  private setClock(key: string): void {
    const pace = this.paces.find((entry) => entry.key === key)!;
    if (pace !== this.clock.pace) this.clock = new OneClock(this.data.exchanges, pace);
  }

  // Another clock: what has happened until now stays about the same.
  private choosePace(key: string): void {
    const share = this.clock.shareAt(this.store.state.position);
    this.setClock(key);
    this.store.set({ pace: key, position: this.clock.positionAt(share) });
  }

  private jump(index: number, { selection, position }: Jump): void {
    const change: Partial<State> = {};
    if (position !== undefined) Object.assign(change, { position: this.clock.leaderPosition(index, position), playing: false });
    if (selection && "rank" in selection) change.rank = selection.rank;
    if (selection && "block" in selection) change.block = selection.block;
    this.store.set(change);
  }

  private build(): void {
    const [first] = this.data.exchanges;
    const player = new Player(
      this.store,
      () => this.clock.rounds,
      () => this.roundSentences(),
    );
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
      "Clock by which the page plays",
      this.paces.map(({ key, name }) => [key, `clock: ${name}`] as const),
      this.store.state.pace,
      (value) => this.choosePace(value),
    );
    pace.classList.add("pace");
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
    const told = this.data.exchanges.length > 1 ? [this.verdict] : [this.tellers[0]!.element];
    this.root.replaceChildren(header, ...about, this.notice, player.element, ...told, main, times);
    listenToKeys(this.store, player, search, first!.ranks, (view) => this.choose(0, view));
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
    const words = (this.words[side] = new Words());
    const exchange = this.data.exchanges[Math.min(side, this.data.exchanges.length - 1)]!;
    const name: HTMLElement[] = this.data.exchanges.length > 1 ? [el("h2", {}, exchange.title)] : [];
    if (name.length) name.push(this.tellers[side]!.element);
    return el(
      "section",
      { class: "side", "aria-label": side === 0 ? "Left" : "Right" },
      ...name,
      el("div", { class: "over" }, tabs, words.element),
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
    this.setClock(state.pace);
    if (this.data.exchanges.length > 1) this.tellVerdict();
    this.tellers.forEach((teller, i) => teller.tell(this.framer(i)(0, 0)));
    state.views.forEach((view, side) => {
      this.panes[side]!.show(view);
      this.words[side]!.show(view);
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
      const next = this.clock.advanced(position, passed * speed);
      const { rounds } = this.clock;
      this.store.set(next >= rounds ? { position: rounds, playing: false } : { position: next });
    }
    this.draw();
    if (!playing) this.settle();
  }

  private roundSentences(): string {
    const { position } = this.store.state;
    return this.data.exchanges.map((exchange, i) => roundSentence(exchange, this.clock.positionOf(i, position))).join("; ");
  }

  private tellVerdict(): void {
    const [left, right] = this.data.exchanges.map((exchange) => exchange.algorithm || exchange.title) as [string, string];
    const { name, costs } = this.clock.pace;
    const by = costs ? `On a ${name} (${costs})` : `By ${name}`;
    this.verdict.textContent = `${by}: ${this.clock.verdict(left === right ? ["left", "right"] : [left, right])}.`;
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
    const at = this.clock.positionOf(index, position);
    const clock = this.clock.clocks[index]!;
    const isRace = this.data.exchanges.length > 1 || clock.kind !== "logical";
    const race = isRace ? { clock, finish: this.clock.endOf(index), end: this.clock.end } : undefined;
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
      race,
      way: block && block.origin < exchange.ranks ? wayOf(replay, block) : undefined,
      colourBy,
      sum,
      look: lookOf(theme),
      width,
      height,
    });
  }
}

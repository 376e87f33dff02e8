// SPDX-License-Identifier: BSD-3-Clause
// Controls of the time: play, step, scrub, speed.
import { button, choice, el } from "./dom";
import type { State, Store } from "./state";

const speeds = [
  ["0.25", "¼ round/s"],
  ["0.5", "½ round/s"],
  ["1", "1 round/s"],
  ["2", "2 rounds/s"],
  ["5", "5 rounds/s"],
  ["20", "20 rounds/s"],
] as const;

export class Player {
  private readonly play = button("▶", "Play (space)", () => this.toggle());
  private readonly slider: HTMLInputElement;
  readonly element: HTMLElement;

  constructor(
    private readonly store: Store,
    private readonly rounds: () => number, // of the clock by which the page plays
    private readonly text: () => string, // where it is
  ) {
    this.slider = el("input", { type: "range", min: "0", max: "1", step: "0.01", "aria-label": "Position in rounds" });
    this.slider.addEventListener("input", () => store.set({ position: Number(this.slider.value), playing: false }));
    // The page's own keys move by whole rounds.
    this.slider.addEventListener("keydown", (event) => event.key !== "Tab" && event.preventDefault());
    const speed = choice("Speed", speeds, String(store.state.speed), (value) => store.set({ speed: Number(value) }));
    this.element = el(
      "div",
      { class: "player" },
      button("|◀", "To the beginning (Home)", () => this.go(0)),
      button("‹", "One round back (left arrow)", () => this.step(-1)),
      this.play,
      button("›", "One round on (right arrow)", () => this.step(1)),
      button("▶|", "To the end (End)", () => this.go(Infinity)),
      speed,
      this.slider,
    );
    store.listen((state) => this.update(state));
    this.update(store.state);
  }

  go(position: number): void {
    this.store.set({ position: Math.max(0, Math.min(this.rounds(), position)), playing: false });
  }

  // The border of a round before or after the position.
  step(direction: 1 | -1): void {
    const { position } = this.store.state;
    this.go(direction > 0 ? Math.floor(position + 1e-9) + 1 : Math.ceil(position - 1e-9) - 1);
  }

  toggle(): void {
    const { playing, position } = this.store.state;
    this.store.set({ playing: !playing && this.rounds() > 0, position: !playing && position >= this.rounds() ? 0 : position });
  }

  private update(state: Readonly<State>): void {
    this.play.textContent = state.playing ? "❚❚" : "▶";
    this.play.setAttribute("aria-label", state.playing ? "Pause (space)" : "Play (space)");
    this.slider.max = String(this.rounds());
    this.slider.value = String(state.position);
    this.slider.setAttribute("aria-valuetext", this.text());
  }
}

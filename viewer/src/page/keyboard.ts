// SPDX-License-Identifier: BSD-3-Clause
// Keys: space plays, arrows left and right step, Home and End jump, arrows up and down choose a rank, 1 to 8 a view, / searches,
// Escape clears the selection.
import type { Player } from "./player";
import { type Store, type ViewName, viewNames } from "./state";

export function listenToKeys(
  store: Store,
  player: Player,
  search: HTMLInputElement,
  ranks: number,
  choose: (view: ViewName) => void,
): void {
  const actions: Record<string, () => void> = {
    " ": () => player.toggle(),
    ArrowRight: () => player.step(1),
    ArrowLeft: () => player.step(-1),
    Home: () => player.go(0),
    End: () => player.go(Infinity),
    ArrowDown: () => store.set({ rank: Math.min(ranks - 1, (store.state.rank ?? -1) + 1) }),
    ArrowUp: () => store.set({ rank: Math.max(0, (store.state.rank ?? 1) - 1) }),
    Escape: () => store.set({ rank: undefined, block: undefined }),
    "/": () => search.focus(),
  };
  viewNames.forEach((name, i) => (actions[String(i + 1)] = () => choose(name)));
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.altKey || event.metaKey || target.matches("select, input[type=search]")) return;
    if (target.matches("button, a") && (event.key === " " || event.key === "Enter")) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

// SPDX-License-Identifier: BSD-3-Clause
// The rows of the time view. A row needs room for what a rank sends above what it receives. If there is no room for all ranks, a
// sample of them has rows: one of every two, four and so on, and the selected one. The sample has no period, because what ranks do often
// has one: it would show some of their parts only.

export interface Rows {
  readonly ranks: readonly number[]; // those with a row, ascending
  readonly step: number; // of so many ranks one has a row
  readonly height: number; // of a row
}

const least = 6; // two halves, and a gap
const most = 22;
const golden = (Math.sqrt(5) - 1) / 2;

export function rowsFor(count: number, room: number, selected: number | undefined): Rows {
  let step = 1;
  while (step < count && (Math.ceil(count / step) + (step > 1 ? 1 : 0)) * least > room) step *= 2;
  const ranks = Array.from({ length: Math.ceil(count / step) }, (_, i) =>
    Math.min(count - 1, i * step + Math.floor(step * ((i * golden) % 1))),
  );
  if (selected !== undefined && !ranks.includes(selected)) ranks.push(selected);
  ranks.sort((a, b) => a - b);
  return { ranks, step, height: Math.max(1, Math.min(most, room / ranks.length)) };
}

// Where a rank is, in rows from the top: the middle of its row, or the border between its neighbours' rows.
export function middleOf({ ranks }: Rows, rank: number): number {
  let [low, high] = [0, ranks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranks[middle]! < rank) low = middle + 1;
    else high = middle;
  }
  return ranks[low] === rank ? low + 0.5 : low;
}

// What a sample leaves out, as a sentence; empty if all ranks have rows.
export const sampleText = ({ ranks, step }: Rows, count: number): string =>
  step === 1 ? "" : `${ranks.length} of ${count} ranks are shown; select another one to see its row`;

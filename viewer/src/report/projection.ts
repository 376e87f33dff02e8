// SPDX-License-Identifier: BSD-3-Clause
// The time lines of a projected run: what each rank does when, by the MPI library's collectives and by ours.

export const parts = ["computing", "waiting for late ranks", "in collectives", "point-to-point", "other"] as const;
export const [computing, waiting, collectives, pointToPoint] = [0, 1, 2, 3];

// The pieces of the ranks, ordered by rank, then begin: a row of all columns is a piece.
export interface ProjectedSide {
  readonly title: string; // "Open MPI 4.1"
  readonly first: readonly number[]; // by rank, the first row of its pieces; then the number of rows
  readonly part: readonly number[]; // index of `parts`
  readonly name: readonly number[]; // index of ProjectedRun.names
  readonly detail: readonly number[]; // index of ProjectedRun.details
  readonly last: readonly number[]; // the rank that entered the call last; -1: none
  readonly begin: readonly number[]; // nanoseconds
  readonly end: readonly number[];
}

export interface ProjectedRun {
  readonly title: string;
  readonly sentence: string;
  readonly text: string; // which part of the run is shown
  readonly ranks: number;
  readonly names: readonly string[];
  readonly details: readonly string[]; // algorithm and communicator
  readonly sides: readonly ProjectedSide[];
}

// A part of the time line, in nanoseconds.
export interface Span {
  readonly from: number;
  readonly to: number;
}

const least = (values: readonly number[], none: number): number => values.reduce((a, b) => Math.min(a, b), none);
const most = (values: readonly number[], none: number): number => values.reduce((a, b) => Math.max(a, b), none);

export function wholeSpan(run: ProjectedRun): Span {
  const from = least(
    run.sides.map((side) => least(side.begin, Infinity)),
    Infinity,
  );
  const to = most(
    run.sides.map((side) => most(side.end, 0)),
    0,
  );
  return to > from ? { from, to } : { from: 0, to: 1 };
}

// A span with `share` of this one's length, inside `whole`, in which the time `at` stays at the same place.
export function zoomed(span: Span, whole: Span, share: number, at: number): Span {
  const length = Math.min(whole.to - whole.from, Math.max(10, (span.to - span.from) * share));
  const place = (at - span.from) / (span.to - span.from);
  return moved({ from: at - place * length, to: at + (1 - place) * length }, whole, 0);
}

export function moved(span: Span, whole: Span, by: number): Span {
  const length = span.to - span.from;
  const from = Math.max(whole.from, Math.min(whole.to - length, span.from + by));
  return { from, to: from + length };
}

// The first of a rank's pieces that ends after the time; the end of its rows if there is none.
export function pieceAt(side: ProjectedSide, rank: number, time: number): number {
  let [low, high] = [side.first[rank]!, side.first[rank + 1]!];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (side.end[middle]! > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Seconds in each part within the span, mean of the ranks.
export function partTimes(run: ProjectedRun, side: ProjectedSide, span: Span): number[] {
  const sums = parts.map(() => 0);
  for (let i = 0; i < side.begin.length; ++i)
    sums[side.part[i]!]! += Math.max(0, Math.min(side.end[i]!, span.to) - Math.max(side.begin[i]!, span.from));
  return sums.map((sum) => sum / (1e9 * run.ranks));
}

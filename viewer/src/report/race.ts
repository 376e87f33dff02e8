// SPDX-License-Identifier: BSD-3-Clause
// Measured times of candidates: what `quadrille race --json` and `quadrille tune --json` wrote.

export interface Candidate {
  readonly name: string; // with its policy
  readonly algorithm: string;
  readonly sameAs: readonly string[]; // further algorithms with the same schedule, which were not run again
  readonly median: number; // seconds; the interval has the race's confidence
  readonly lower: number;
  readonly upper: number;
  readonly toBest: { readonly lower: number; readonly upper: number } | undefined;
  readonly c1: number | undefined;
  readonly c2: number | undefined; // bytes
  readonly phases: readonly [number, number, number] | undefined; // distribute, communicate, collect, in seconds
  readonly predicted: number | undefined;
  readonly wrong: boolean; // it delivered wrong data, so it cannot win
}

export interface RacedSize {
  readonly bytes: number; // of a block
  readonly candidates: readonly Candidate[]; // fastest first, and those with wrong data last
  readonly conclusion: string | undefined; // as the results say it: "fastest", "tied", "noisy"; those of tune do not
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

// Where and how it was measured, as far as the results say it.
export interface RaceFacts {
  readonly where: string;
  readonly machine: string;
  readonly start: number | undefined; // seconds since 1970
  readonly command: string | undefined;
}

// The races of one collective on one number of ranks.
export interface Race {
  readonly title: string;
  readonly collective: string;
  readonly about: RaceFacts;
  readonly ranks: number;
  readonly sizes: readonly RacedSize[]; // ascending
}

export const fastest = (size: RacedSize): Candidate | undefined => size.candidates.find((candidate) => !candidate.wrong);

const mostNames = 3;

// "bruck = hypercube": the name of a candidate, together with algorithms that have the same schedule.
export function label({ name, algorithm, sameAs }: Candidate): string {
  const more = sameAs.length + 1 - mostNames;
  const names = [algorithm, ...sameAs].slice(0, more > 1 ? mostNames : undefined);
  return names.join(" = ") + (more > 1 ? ` and ${more} more` : "") + name.slice(algorithm.length);
}

// The label of a candidate in all sizes of a race: with the algorithms that have its schedule in all of them.
export function commonLabel(race: Race, name: string): string {
  const found = race.sizes.flatMap((size) => size.candidates.filter((candidate) => candidate.name === name));
  const [first] = found;
  if (!first) return name;
  return label({ ...first, sameAs: first.sameAs.filter((other) => found.every(({ sameAs }) => sameAs.includes(other))) });
}

// Returns true if a candidate may be as fast as the fastest one.
const meets = (candidate: Candidate, best: Candidate): boolean =>
  candidate.toBest ? candidate.toBest.lower <= 1 : candidate.lower <= best.upper;

// "fastest" if the first is faster than all others, else "tied", "noisy" or what else the results say.
export function conclusion(size: RacedSize): string {
  if (size.conclusion) return size.conclusion;
  const best = fastest(size);
  const rival = size.candidates.some((candidate) => candidate !== best && !candidate.wrong && best && meets(candidate, best));
  return rival ? "tied" : "fastest";
}

// Names of all candidates, those that are fastest somewhere first.
export function names(races: readonly Race[]): string[] {
  const wins = new Map<string, number>();
  for (const race of races)
    for (const size of race.sizes)
      size.candidates.forEach((candidate, place) =>
        wins.set(candidate.name, (wins.get(candidate.name) ?? 0) + (place === 0 ? 1000 : 0)),
      );
  return [...wins].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

// Why a candidate lost against the fastest one, as far as the figures tell.
export function reason(candidate: Candidate, best: Candidate, bytesText: (bytes: number) => string): string {
  if (candidate === best) return "the fastest";
  if (candidate.wrong) return "its data was wrong";
  if (meets(candidate, best)) return "not told apart from the fastest: the intervals meet";
  const parts: string[] = [];
  if (candidate.c1 !== undefined && best.c1 !== undefined && candidate.c1 > best.c1)
    parts.push(`more rounds, ${candidate.c1} against ${best.c1}`);
  if (candidate.c2 !== undefined && best.c2 !== undefined && candidate.c2 > best.c2)
    parts.push(`more volume, ${bytesText(candidate.c2)} against ${bytesText(best.c2)}`);
  if (candidate.phases && best.phases) {
    const copies = (phases: readonly number[]) => phases[0]! + phases[2]!;
    if (copies(candidate.phases) - copies(best.phases) > 0.3 * (candidate.median - best.median))
      parts.push("more time for copies before and after");
  }
  return parts.join("; ") || "neither more rounds nor more volume: it depends on the machine";
}

// SPDX-License-Identifier: BSD-3-Clause
// Numbers as text, with the units of the command.

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

export function formatBytes(bytes: number): string {
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    ++unit;
  }
  return `${value >= 100 ? Math.round(value) : Number(value.toPrecision(3))} ${units[unit]}`;
}

// A time of a clock: "round 3", or picoseconds or nanoseconds with a fitting unit.
export function formatTime(value: number, unit: "round" | "ps" | "ns"): string {
  if (unit === "round") return `${Number.isInteger(value) ? value : value.toFixed(1)}`;
  const seconds = value * (unit === "ps" ? 1e-12 : 1e-9);
  for (const [size, name] of [
    [1, "s"],
    [1e-3, "ms"],
    [1e-6, "µs"],
    [1e-9, "ns"],
  ] as const)
    if (seconds >= size) return `${Number((seconds / size).toPrecision(3))} ${name}`;
  return seconds === 0 ? "0 s" : `${Number((seconds / 1e-12).toPrecision(3))} ps`;
}

// "3", "0-3", or "0,2,5" for some of `ranks` ranks, shortened if there are many runs.
export function rangesText(some: readonly number[], ranks: number): string {
  const sorted = [...some].sort((a, b) => a - b);
  const runs: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let j = i;
    while (j + 1 < sorted.length && sorted[j + 1] === sorted[j]! + 1) ++j;
    runs.push(j === i ? `${sorted[i]}` : `${sorted[i]}-${sorted[j]}`);
    i = j + 1;
  }
  return runs.length > 4 ? `${sorted.length} of ${ranks}` : runs.join();
}

export const formatCount = (count: number): string => count.toLocaleString("en-US");

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

// SPDX-License-Identifier: BSD-3-Clause

// The largest value, at least `least`. Lists may be too long for the arguments of Math.max.
export function largest(values: Iterable<number>, least = 0): number {
  let found = least;
  for (const value of values) if (value > found) found = value;
  return found;
}

// SPDX-License-Identifier: BSD-3-Clause
// Reads foreign JSON: every access checks the type and names the place in a sentence if it is wrong.

export class Refusal extends Error {}

// The largest whole number that the page computes with exactly.
export const mostExact = Number.MAX_SAFE_INTEGER;

export class Reader {
  constructor(
    readonly value: unknown,
    readonly place: string,
  ) {}

  refuse(what: string): never {
    throw new Refusal(`${this.place} ${what}.`);
  }

  private get entries(): Record<string, unknown> {
    if (typeof this.value !== "object" || this.value === null || Array.isArray(this.value)) this.refuse("must be an object");
    return this.value as Record<string, unknown>;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.entries, key);
  }

  at(key: string): Reader {
    if (!this.has(key)) throw new Refusal(`${this.place} has no "${key}".`);
    return new Reader(this.entries[key], `"${key}" of ${this.place}`);
  }

  optional<T>(key: string, read: (reader: Reader) => T): T | undefined {
    return this.has(key) ? read(this.at(key)) : undefined;
  }

  keys(): string[] {
    return Object.keys(this.entries);
  }

  list(): Reader[] {
    return this.array().map((value, i) => new Reader(value, `entry ${i} of ${this.place}`));
  }

  array(): unknown[] {
    if (!Array.isArray(this.value)) this.refuse("must be a list");
    return this.value as unknown[];
  }

  text(): string {
    if (typeof this.value !== "string") this.refuse("must be a string");
    return this.value as string;
  }

  number(): number {
    if (typeof this.value !== "number" || !Number.isFinite(this.value)) this.refuse("must be a number");
    return this.value as number;
  }

  whole(least = 0, most = mostExact): number {
    const value = this.value;
    if (typeof value !== "number" || !Number.isInteger(value)) this.refuse("must be a whole number");
    if (value < least || value > most) this.refuse(`is ${value}, and must be in ${least} .. ${most}`);
    return value;
  }

  wholes(least = 0, most = mostExact): number[] {
    const values = this.array();
    for (let i = 0; i < values.length; ++i) new Reader(values[i], `entry ${i} of ${this.place}`).whole(least, most);
    return values as number[];
  }
}

// Parses JSON text; a syntax error becomes a sentence.
export function parsed(text: string, label: string): Reader {
  try {
    return new Reader(JSON.parse(text), label);
  } catch (error) {
    throw new Refusal(`${label} is not JSON: ${error instanceof Error ? error.message : "it cannot be parsed"}.`);
  }
}

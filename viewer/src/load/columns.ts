// SPDX-License-Identifier: BSD-3-Clause
// Columns of quadrille-trace/1: plain values, arithmetic runs or differences.
import { mostExact, Reader, Refusal } from "./reader";
import { mostRegions } from "./problem";

const outOfRange = (place: string, value: number, least: number, most: number): never => {
  throw new Refusal(`${place} has the value ${value}, and must be in ${least} .. ${most}.`);
};

function runs(reader: Reader, most: number): number[] {
  const numbers = reader.at("runs").wholes(-mostExact);
  if (numbers.length % 3 !== 0) reader.refuse("must have a first value, a step and a count for each run");
  let total = 0;
  for (let i = 2; i < numbers.length; i += 3) {
    total += numbers[i]!;
    // Checked before anything is expanded: a short document may state a long list.
    if (numbers[i]! < 0 || total > most) reader.refuse(`has more than ${most} values`);
  }
  const values = new Array<number>(total);
  let at = 0;
  for (let i = 0; i < numbers.length; i += 3)
    for (let k = 0; k < numbers[i + 2]!; ++k) values[at++] = numbers[i]! + k * numbers[i + 1]!;
  return values;
}

function deltas(reader: Reader): number[] {
  let value = 0;
  return reader
    .at("deltas")
    .wholes(-mostExact)
    .map((delta) => (value += delta));
}

// Reads a column of at most `most` values in [least, greatest].
export function readColumn(reader: Reader, least: number, most = mostRegions, greatest = mostExact): number[] {
  const plain = Array.isArray(reader.value);
  if (plain) return reader.wholes(least, greatest);
  const values = reader.has("runs") ? runs(reader, most) : deltas(reader);
  for (const value of values) if (!(value >= least && value <= greatest)) outOfRange(reader.place, value, least, greatest);
  return values;
}

// The columns of one table, which all have the same number of rows.
export class Table {
  constructor(
    private readonly reader: Reader,
    readonly rows: number,
  ) {}

  static of(reader: Reader, key: string, most = mostRegions): Table {
    return new Table(reader, readColumn(reader.at(key), -mostExact, most).length);
  }

  column(key: string, least: number, greatest = mostExact): number[] {
    const values = readColumn(this.reader.at(key), least, this.rows, greatest);
    if (values.length !== this.rows) throw new Refusal(`"${key}" of ${this.reader.place} must have ${this.rows} values.`);
    return values;
  }

  optional(key: string, otherwise: number, least: number, greatest = mostExact): number[] {
    return this.reader.has(key) ? this.column(key, least, greatest) : new Array<number>(this.rows).fill(otherwise);
  }
}

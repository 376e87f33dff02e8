// SPDX-License-Identifier: BSD-3-Clause
// Region tables of quadrille-trace/1; strided regions become contiguous ones.
import type { Buffer, Region } from "../model/exchange";
import { readColumn, Table } from "./columns";
import { mostRegions } from "./problem";
import { mostExact, Reader, Refusal } from "./reader";

// Returns the regions of each of `owners` messages or local operations.
export function readRegions(reader: Reader, owners: number): Region[][] {
  const counts = readColumn(reader.at("regions"), 0, owners);
  if (counts.length !== owners) throw new Refusal(`"regions" of ${reader.place} must have ${owners} values.`);
  const table = new Table(
    reader,
    counts.reduce((sum, count) => sum + count, 0),
  );
  if (table.rows > mostRegions)
    throw new Refusal(`${reader.place} has more than ${mostRegions} regions, too many for this page.`);
  const buffer = table.column("buffer", 0, 2);
  const offset = table.column("offset", 0);
  const length = table.column("length", 0);
  const levels = ["inner", "middle", "outer"].map((level) => ({
    count: table.optional(`${level}_count`, 1, 0),
    stride: table.optional(`${level}_stride`, 0, -mostExact),
  }));
  const [inner, middle, outer] = levels as [(typeof levels)[0], (typeof levels)[0], (typeof levels)[0]];
  let total = 0;
  let row = 0;
  return counts.map((count) => {
    const regions: Region[] = [];
    for (const end = row + count; row < end; ++row) {
      total += inner.count[row]! * middle.count[row]! * outer.count[row]!;
      if (total > mostRegions) throw new Refusal(`${reader.place} has more than ${mostRegions} regions, too many for this page.`);
      if (length[row] === 0) continue;
      for (let c = 0; c < outer.count[row]!; ++c)
        for (let b = 0; b < middle.count[row]!; ++b)
          for (let a = 0; a < inner.count[row]!; ++a) {
            const at = offset[row]! + a * inner.stride[row]! + b * middle.stride[row]! + c * outer.stride[row]!;
            if (at < 0) throw new Refusal(`A region of ${reader.place} begins before its buffer.`);
            regions.push({ buffer: buffer[row] as Buffer, offset: at, bytes: length[row]! });
          }
    }
    return regions;
  });
}

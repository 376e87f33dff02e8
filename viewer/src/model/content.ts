// SPDX-License-Identifier: BSD-3-Clause
// What memory holds: bytes of one rank's input, or a combination of the inputs of several ranks. Each content has a number; the
// numbers below p are the inputs of the ranks.
import { rangesText } from "./format";

export interface Content {
  readonly operands: readonly number[]; // ranks, in the order in which they were combined
  readonly repeated: boolean; // some operand was combined twice
}

export class Contents {
  private readonly all: Content[];
  private readonly numbers = new Map<string, number>();

  constructor(readonly ranks: number) {
    this.all = Array.from({ length: ranks }, (_, rank) => ({ operands: [rank], repeated: false }));
  }

  at(number: number): Content {
    return this.all[number]!;
  }

  has(number: number, rank: number): boolean {
    return number < this.ranks ? number === rank : this.all[number]!.operands.includes(rank);
  }

  combined(left: number, right: number): number {
    const operands = [...this.at(left).operands, ...this.at(right).operands];
    const key = operands.join();
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const number = this.all.length;
    this.all.push({ operands, repeated: new Set(operands).size < operands.length });
    this.numbers.set(key, number);
    return number;
  }

  text(number: number): string {
    return rangesText(this.at(number).operands, this.ranks);
  }
}

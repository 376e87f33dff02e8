// SPDX-License-Identifier: BSD-3-Clause
// Colours for amounts of bytes, such as the loads of links, as in the pictures of `quadrille draw` (src/draw/picture.hpp). Even
// amounts are calm, however large they are: the colour of an amount depends on how it compares with the mean. The scale is linear
// from 0 to the mean, and from the mean to the largest amount.
import { formatBytes } from "../model/format";
import { font, hex, type Look } from "./look";

const shareOfMean = 0.25;
const leastTop = 4 / 3; // the least amount that may have the last colour, as a multiple of the mean

// Blue, yellow and red; all of them can be seen on light and on dark pages.
const shares = [0, 0.25, 0.6, 1];
const stops = [
  [158, 202, 230],
  [74, 148, 206],
  [236, 178, 62],
  [224, 70, 60],
];

export function heat(share: number): string {
  let i = 1;
  while (i + 1 < shares.length && share > shares[i]!) ++i;
  const part = (share - shares[i - 1]!) / (shares[i]! - shares[i - 1]!);
  return hex(stops[i - 1]!.map((value, k) => Math.round(value + part * (stops[i]![k]! - value))));
}

export class HeatScale {
  readonly most: number;
  readonly mean: number;

  // Amounts of 0 are left out of the mean.
  constructor(amounts: ArrayLike<number>) {
    let [sum, count, most] = [0, 0, 0];
    for (let i = 0; i < amounts.length; ++i) {
      const amount = amounts[i]!;
      if (amount === 0) continue;
      sum += amount;
      ++count;
      most = Math.max(most, amount);
    }
    this.most = most;
    this.mean = count ? sum / count : 0;
  }

  get even(): boolean {
    return this.mean === this.most;
  }

  // From 0 to 1: 1/4 for the mean, and 1 for the largest amount, or for 4/3 of the mean if that is larger.
  share(amount: number): number {
    if (amount <= this.mean) return this.mean > 0 ? (shareOfMean * amount) / this.mean : 0;
    const top = Math.max(this.most, leastTop * this.mean);
    return shareOfMean + ((1 - shareOfMean) * (amount - this.mean)) / (top - this.mean);
  }

  colour(amount: number): string {
    return heat(this.share(amount));
  }

  // Draws the colours and what they stand for, in one line whose middle is at `y`.
  draw(canvas: CanvasRenderingContext2D, look: Look, x: number, y: number, room: number): void {
    if (this.most === 0) return;
    const width = 120;
    canvas.textAlign = "left";
    canvas.textBaseline = "middle";
    canvas.font = font(11);
    for (let i = 0; i < width; i += 2) {
      canvas.fillStyle = heat(i / width);
      canvas.fillRect(x + 12 + i, y - 5, 2, 10);
    }
    canvas.fillStyle = look.text;
    canvas.fillRect(x + 12 + shareOfMean * width, y - 7, 1.5, 14);
    canvas.fillStyle = look.muted;
    canvas.fillText("0", x, y);
    const words = this.even
      ? `${formatBytes(this.most)} each (the line)`
      : `at most ${formatBytes(this.most)}; ${formatBytes(this.mean)} on average (the line), linear below and above it`;
    canvas.fillText(words, x + width + 18, y, room - width - 18);
  }
}

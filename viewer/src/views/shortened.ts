// SPDX-License-Identifier: BSD-3-Clause
// The text, cut if it is wider than there is room.
export function shortened(canvas: CanvasRenderingContext2D, text: string, room: number): string {
  let cut = text;
  while (canvas.measureText(cut).width > room && cut.length > 2) cut = `${cut.slice(0, -2)}…`;
  return cut;
}

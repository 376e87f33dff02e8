// SPDX-License-Identifier: BSD-3-Clause
// The content of a buffer as a list of pieces in ascending order. Bytes of no piece were never written.

export interface Piece {
  readonly at: number; // offset in the buffer
  readonly bytes: number;
  readonly content: number; // see Contents
  readonly from: number; // offset in the input of the content's ranks
}

// Index of the first piece that ends after `offset`.
function firstAfter(pieces: readonly Piece[], offset: number): number {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pieces[middle]!.at + pieces[middle]!.bytes > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The part of a piece in [begin, end), moved by `shift`.
export function cut(piece: Piece, begin: number, end: number, shift: number): Piece {
  const first = Math.max(piece.at, begin);
  const last = Math.min(piece.at + piece.bytes, end);
  if (shift === 0 && first === piece.at && last - first === piece.bytes) return piece;
  return { at: first + shift, bytes: last - first, content: piece.content, from: piece.from + first - piece.at };
}

// Appends what [offset, offset + bytes) holds, with places as if `offset` were `to`.
export function read(pieces: readonly Piece[], offset: number, bytes: number, to: number, found: Piece[]): void {
  const end = offset + bytes;
  for (let i = firstAfter(pieces, offset); i < pieces.length && pieces[i]!.at < end; ++i)
    found.push(cut(pieces[i]!, offset, end, to - offset));
}

// Puts `written`, which lies in [offset, offset + bytes), in place of what was there.
export function write(pieces: Piece[], offset: number, bytes: number, written: readonly Piece[]): void {
  const end = offset + bytes;
  const first = firstAfter(pieces, offset);
  let last = first;
  while (last < pieces.length && pieces[last]!.at < end) ++last;
  const before = first < last && pieces[first]!.at < offset ? [cut(pieces[first]!, 0, offset, 0)] : [];
  const final = last > first ? pieces[last - 1]! : undefined;
  const after = final && final.at + final.bytes > end ? [cut(final, end, Infinity, 0)] : [];
  pieces.splice(first, last - first, ...before, ...written, ...after);
}

// The pieces of both lists cut at common borders: calls `visit` with the bytes that only one has, or both.
export function overlaid(
  a: readonly Piece[],
  b: readonly Piece[],
  visit: (a: Piece | undefined, b: Piece | undefined) => void,
): void {
  const borders = new Set<number>();
  for (const piece of [...a, ...b]) borders.add(piece.at).add(piece.at + piece.bytes);
  const sorted = [...borders].sort((x, y) => x - y);
  let i = 0;
  let j = 0;
  for (let k = 0; k + 1 < sorted.length; ++k) {
    const begin = sorted[k]!;
    const end = sorted[k + 1]!;
    while (i < a.length && a[i]!.at + a[i]!.bytes <= begin) ++i;
    while (j < b.length && b[j]!.at + b[j]!.bytes <= begin) ++j;
    const left = i < a.length && a[i]!.at <= begin ? cut(a[i]!, begin, end, 0) : undefined;
    const right = j < b.length && b[j]!.at <= begin ? cut(b[j]!, begin, end, 0) : undefined;
    if (left || right) visit(left, right);
  }
}

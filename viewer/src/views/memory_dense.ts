// SPDX-License-Identifier: BSD-3-Clause
// Draws memory pixel by pixel where cells are too small for borders and labels, so that tens of thousands of blocks move fluently.
import { buffersPerRank, type Move, type State } from "../model/replay";
import type { Exchange } from "../model/exchange";
import { type Look, rgb } from "./look";
import { colourIndex, isFollowed, palette } from "./memory_colours";
import { type Box, flightBox, type MemoryLayout, sectionOf } from "./memory_layout";
import { type Frame, remembered } from "./view";

export interface Shown {
  readonly state: State;
  readonly moves: readonly Move[];
  readonly share: number;
}

const packed = (colour: string): number => {
  const [r, g, b] = rgb(colour);
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
};

const packedPalette = remembered((count: number, look: Look, isAmount: boolean) => {
  const { plain, faint } = palette(count, look, isAmount);
  return {
    plain: Uint32Array.from(plain, ({ fill }) => packed(fill)),
    faint: Uint32Array.from(faint, ({ fill }) => packed(fill)),
    slot: packed(look.slot),
    page: packed(look.page),
    accent: packed(look.accent),
  };
});

// The mean of two colours. The least bit of each part is lost.
const halfway = (a: number, b: number): number => ((a & 0xfefefefe) >>> 1) + ((b & 0xfefefefe) >>> 1) + 0x01000000;

class Raster {
  readonly image: ImageData;
  readonly pixels: Uint32Array;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  // `strength`: with 0.5 what is below shines through.
  fill({ x, y, width, height }: Box, colour: number, strength: 0.5 | 1 = 1): void {
    const [left, top] = [Math.max(0, Math.floor(x)), Math.max(0, Math.floor(y))];
    const right = Math.min(this.width, Math.max(left + 1, Math.floor(x + width)));
    const bottom = Math.min(this.height, Math.max(top + 1, Math.floor(y + height)));
    for (let row = top; row < bottom; ++row)
      if (strength === 1) this.pixels.fill(colour, row * this.width + left, row * this.width + right);
      else
        for (let i = row * this.width + left; i < row * this.width + right; ++i)
          this.pixels[i] = halfway(this.pixels[i]!, colour);
  }
}

const rasters = new WeakMap<Exchange, { keys: unknown[]; raster: Raster }>();

// A state as pixels. The keys are all that the pixels depend on.
function stateRaster(frame: Frame, layout: MemoryLayout, state: State): Raster {
  const known = rasters.get(frame.exchange);
  const keys = [state, layout, frame.look, frame.colourBy, frame.selection.block];
  if (known?.keys.every((key, i) => key === keys[i])) return known.raster;
  const raster = paintState(frame, layout, state);
  rasters.set(frame.exchange, { keys, raster });
  return raster;
}

function paintState(frame: Frame, layout: MemoryLayout, state: State): Raster {
  const raster = new Raster(Math.ceil(frame.width), Math.ceil(frame.height));
  const { plain, faint, slot, page } = packedPalette(frame.exchange.ranks, frame.look, frame.replay.combines);
  raster.pixels.fill(page);
  for (let rank = 0; rank < frame.exchange.ranks; ++rank)
    for (const section of layout.sections) {
      const scale = section.height / section.bytes;
      const x = layout.lefts[rank]!;
      const [width, bytes] = [layout.column, frame.exchange.buffers[section.buffer][rank]!];
      raster.fill({ x, y: section.top, width, height: bytes * scale }, slot);
      for (const piece of state[buffersPerRank * rank + section.buffer]!) {
        const colour = (frame.selection.block && !isFollowed(frame, piece.content, piece.from, piece.bytes) ? faint : plain)[
          colourIndex(frame, piece.content, piece.from)
        ]!;
        raster.fill({ x, y: section.top + piece.at * scale, width, height: piece.bytes * scale }, colour);
      }
    }
  return raster;
}

// Blocks on their way leave half of each column free; columns of a pixel, which have no half, shine through them.
let moving: Raster | undefined; // reused from frame to frame

function blend(frame: Frame, layout: MemoryLayout, base: Raster, moves: readonly Move[], share: number): Raster {
  if (moving?.width !== base.width || moving.height !== base.height) moving = new Raster(base.width, base.height);
  moving.pixels.set(base.pixels);
  const { plain, faint, accent } = packedPalette(frame.exchange.ranks, frame.look, frame.replay.combines);
  const following = frame.selection.block !== undefined;
  const sections = ([0, 1, 2] as const).map((buffer) => sectionOf(layout, buffer));
  for (const move of moves) {
    const source = sections[move.source.buffer];
    const target = sections[move.target.buffer];
    if (!source || !target) continue;
    const [x1, x2] = [layout.lefts[move.fromRank]!, layout.lefts[move.toRank]!];
    const y1 = source.top + (move.source.offset / source.bytes) * source.height;
    const y2 = target.top + (move.target.offset / target.bytes) * target.height;
    const height = (move.source.bytes / source.bytes) * source.height;
    const followed = following && isFollowed(frame, move.content, move.from, move.source.bytes);
    const colour = followed ? accent : (following ? faint : plain)[colourIndex(frame, move.content, move.from)]!;
    const at = (x: number, y: number): Box => ({ x, y, width: layout.column, height });
    const place = flightBox(at(x1, y1), at(x2, y2), share);
    if (followed) moving.fill({ x: place.x - 2, y: place.y - 2, width: place.width + 4, height: place.height + 4 }, colour);
    else moving.fill(place, colour, layout.column < 2 ? 0.5 : 1);
  }
  return moving;
}

// What lies in memory and what moves, as pixels.
export function denseRaster(frame: Frame, layout: MemoryLayout, { state, moves, share }: Shown): Raster {
  const base = stateRaster(frame, layout, state);
  return moves.length ? blend(frame, layout, base, moves, share) : base;
}

let surface: HTMLCanvasElement | undefined;

export function drawDense(canvas: CanvasRenderingContext2D, frame: Frame, layout: MemoryLayout, now: Shown): void {
  const raster = denseRaster(frame, layout, now);
  surface ??= document.createElement("canvas");
  if (surface.width !== raster.width || surface.height !== raster.height)
    [surface.width, surface.height] = [raster.width, raster.height];
  surface.getContext("2d")!.putImageData(raster.image, 0, 0);
  canvas.imageSmoothingEnabled = false;
  canvas.drawImage(surface, 0, 0);
}

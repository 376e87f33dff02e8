// SPDX-License-Identifier: BSD-3-Clause
// Parts of a view that change rarely are kept as pictures, so that a frame costs only what moves.
import type { Exchange } from "../model/exchange";
import type { Frame } from "./view";

interface Still {
  readonly keys: readonly unknown[];
  readonly surface: HTMLCanvasElement;
}

const stills = new WeakMap<Exchange, Map<string, Still>>();
const mostKept = 6; // of an exchange

// Draws a picture that depends on `keys`, the size and the colours only. `name` tells it from others of the same exchange.
export function drawStill(
  canvas: CanvasRenderingContext2D,
  frame: Frame,
  name: string,
  keys: readonly unknown[],
  draw: (canvas: CanvasRenderingContext2D) => void,
): void {
  const scale = canvas.getTransform().a;
  const all = [...keys, frame.look, scale];
  const place = `${name} ${frame.width} ${frame.height}`;
  const kept = stills.get(frame.exchange) ?? new Map<string, Still>();
  stills.set(frame.exchange, kept);
  let still = kept.get(place);
  if (!still || still.keys.some((key, i) => key !== all[i])) {
    const surface = document.createElement("canvas");
    [surface.width, surface.height] = [Math.ceil(frame.width * scale), Math.ceil(frame.height * scale)];
    const inner = surface.getContext("2d")!;
    inner.scale(scale, scale);
    draw(inner);
    still = { keys: all, surface };
    kept.delete(place);
    kept.set(place, still);
    for (const old of [...kept.keys()].slice(0, -mostKept)) kept.delete(old);
  }
  canvas.drawImage(still.surface, 0, 0, still.surface.width / scale, still.surface.height / scale);
}

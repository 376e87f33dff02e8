// SPDX-License-Identifier: BSD-3-Clause
// Contrast, by the formula of the Web Content Accessibility Guidelines 2.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { heat, HeatScale } from "../src/views/heat";
import { palette } from "../src/views/memory_colours";
import { colours, dark, ink, light, rgb } from "../src/views/look";

const luminance = (colour: string): number => {
  const [r, g, b] = rgb(colour).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

const contrast = (a: string, b: string): number => {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
};

describe.each([
  ["light", light],
  ["dark", dark],
] as const)("%s", (_, look) => {
  test("texts can be read", () => {
    for (const text of [look.text, look.muted, look.accent, look.wrong])
      for (const ground of [look.page, look.panel]) expect(contrast(text, ground)).toBeGreaterThan(4.5);
  });
  test("labels behind a selection, and names over stages, can be read", () => {
    for (const ranks of [2, 8, 256])
      for (const paint of palette(ranks, look, false).faint)
        expect(contrast(paint.ink, paint.fill), paint.fill).toBeGreaterThan(4.5);
    expect(contrast(look.muted, look.slot)).toBeGreaterThan(4.5);
  });
  test("texts of the style can be read on each of its grounds", () => {
    const style = readFileSync(new URL("../src/style.css", import.meta.url), "utf8");
    const [start, end] = look.dark ? [':root[data-theme="dark"]', "}"] : [":root {", "}"];
    const block = style.slice(style.indexOf(start)).split(end)[0]!;
    const colour = (name: string) =>
      new RegExp(`--${name}: (#[0-9a-f]+);`).exec(block)![1]!.replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3");
    for (const name of ["page", "panel", "text", "muted", "line", "accent"] as const) expect(colour(name), name).toBe(look[name]);
    for (const text of ["text", "muted", "accent"])
      for (const ground of ["page", "panel", "current"])
        expect(contrast(colour(text), colour(ground)), `${text} on ${ground}`).toBeGreaterThan(4.5);
  });
  test("bars can be told from the page and from waiting", () => {
    for (const bar of [look.send, look.receive, look.copy]) {
      expect(contrast(bar, look.page)).toBeGreaterThan(2.2);
      expect(contrast(bar, look.wait)).toBeGreaterThan(1.6);
    }
  });
  test("labels on blocks and on loads can be read", () => {
    const grounds = [...colours(8), ...colours(256), ...Array.from({ length: 11 }, (_, i) => heat(i / 10))];
    for (const ground of grounds) expect(contrast(ink(ground), ground)).toBeGreaterThan(4.5);
  });
  test("loads can be told from the page", () => {
    for (let i = 0; i <= 10; ++i) expect(contrast(heat(i / 10), look.page)).toBeGreaterThan(1.5);
  });
});

// The same numbers are in tests/draw/heat_scale_test.cpp.
test("loads have the colours and the scale of the pictures", () => {
  expect([0, 0.25, 0.6, 1].map(heat)).toEqual(["#9ecae6", "#4a94ce", "#ecb23e", "#e0463c"]);
  const even = new HeatScale([8, 8, 0]);
  expect([even.mean, even.share(8), even.share(4)]).toEqual([8, 0.25, 0.125]);
  const uneven = new HeatScale([2, 4, 6, 28, 0]);
  expect([uneven.mean, uneven.share(10), uneven.share(19), uneven.share(28)]).toEqual([10, 0.25, 0.625, 1]);
  const nearlyEven = new HeatScale([9, 11]);
  expect(nearlyEven.share(11)).toBeCloseTo(0.25 + 0.75 * 0.3);
});

// The same numbers are in tests/draw/svg_test.cpp.
test("ranks have the colours of the pictures", () => {
  expect(colours(8).slice(0, 2)).toEqual(["#c96200", "#8bffac"]);
  expect([0, 7, 32, 63].map((i) => colours(64)[i])).toEqual(["#8378d8", "#6f89d7", "#58bc98", "#f5e663"]);
});

// Machado, Oliveira and Fernandes (2009), without one kind of cones, in linear colours.
const visions: Record<string, readonly (readonly number[])[]> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const linear = (colour: string): number[] =>
  rgb(colour).map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));

const times = (matrix: readonly (readonly number[])[], vector: readonly number[]): number[] =>
  matrix.map((row) => row.reduce((sum, factor, i) => sum + factor * vector[i]!, 0));

const okLab = (colour: readonly number[]): number[] =>
  times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    times(
      [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
      ],
      colour,
    ).map(Math.cbrt),
  );

test.each(Object.entries(visions))("with %s no two of 8 ranks have similar colours", (_, vision) => {
  const seen = colours(8).map((colour) => okLab(times(vision, linear(colour)).map((part) => Math.max(0, Math.min(1, part)))));
  for (let a = 0; a < 8; ++a)
    for (let b = 0; b < a; ++b)
      expect(Math.hypot(...seen[a]!.map((part, i) => part - seen[b]![i]!)), `${a}, ${b}`).toBeGreaterThan(0.12);
});

test("the colours of many ranks become lighter from rank to rank", () => {
  expect(colours(8, true)[7]).toBe("#f5e663");
  const light = colours(64).map(luminance);
  for (let i = 1; i < light.length; ++i) expect(light[i]!).toBeGreaterThanOrEqual(light[i - 1]! - 1e-3);
});

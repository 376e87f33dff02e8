// SPDX-License-Identifier: BSD-3-Clause
// Contrast, by the formula of the Web Content Accessibility Guidelines 2.
import { describe, expect, test } from "vitest";
import { heat, HeatScale } from "../src/views/heat";
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

test("few ranks have colours that colour-blind readers tell apart, in luminance or in hue", () => {
  const all = colours(8);
  expect(new Set(all).size).toBe(8);
  const many = colours(64).map(luminance);
  for (let i = 1; i < many.length; ++i) expect(many[i]!).toBeGreaterThanOrEqual(many[i - 1]! - 1e-3);
});

// SPDX-License-Identifier: BSD-3-Clause
// Contrast, by the formula of the Web Content Accessibility Guidelines 2.
import { describe, expect, test } from "vitest";
import { colours, dark, ink, light, load, rgb } from "../src/views/look";

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
    const grounds = [...colours(8), ...colours(256), ...Array.from({ length: 11 }, (_, i) => load(i / 10, look))];
    for (const ground of grounds) expect(contrast(ink(ground), ground)).toBeGreaterThan(4.5);
  });
});

test("few ranks have colours that colour-blind readers tell apart, in luminance or in hue", () => {
  const all = colours(8);
  expect(new Set(all).size).toBe(8);
  const many = colours(64).map(luminance);
  for (let i = 1; i < many.length; ++i) expect(many[i]!).toBeGreaterThanOrEqual(many[i - 1]! - 1e-3);
});

// SPDX-License-Identifier: BSD-3-Clause
// Colours of the canvas, for light and dark pages. The colours of ranks are those of the pictures (src/draw/svg.cpp).

export interface Look {
  readonly dark: boolean;
  readonly page: string;
  readonly panel: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly slot: string; // memory that holds nothing
  readonly accent: string; // the selection
  readonly wrong: string;
  readonly send: string;
  readonly receive: string;
  readonly copy: string;
  readonly wait: string;
}

export const light: Look = {
  dark: false,
  page: "#ffffff",
  panel: "#f5f6f8",
  text: "#14171c",
  muted: "#555d6b",
  line: "#cfd4dc",
  slot: "#e9ecf0",
  accent: "#c2185b",
  wrong: "#b00020",
  send: "#4f9bd0",
  receive: "#e8935a",
  copy: "#3aa583",
  wait: "#dde1e7",
};

export const dark: Look = {
  dark: true,
  page: "#13161b",
  panel: "#1b1f26",
  text: "#eef1f5",
  muted: "#a9b1bf",
  line: "#3a414d",
  slot: "#272c35",
  accent: "#ff6fa5",
  wrong: "#ff7b72",
  send: "#3f83b4",
  receive: "#b87528",
  copy: "#2a9474",
  wait: "#343b46",
};

// A search among random colours found these: with normal vision, and without the red, green or blue cones, no two are closer than
// 0.12 in OKLab (tests/look.test.ts). All are light enough for black labels.
const few = ["#c96200", "#8bffac", "#9366c4", "#eba315", "#1ca186", "#f4c3ff", "#ba92fd", "#60ce9f"];
const many = ["#8378d8", "#5f97d6", "#41b0b3", "#6cc681", "#b5d752", "#f5e663"]; // from dark to light

// Colours of numbers 0 .. count - 1. Of amounts, more is lighter.
export function colours(count: number, isAmount = false): string[] {
  if (count <= few.length && !isAmount) return few.slice(0, count);
  return Array.from({ length: count }, (_, i) => {
    const place = (i * (many.length - 1)) / Math.max(1, count - 1);
    const before = Math.min(Math.floor(place), many.length - 2);
    return mixed(many[before]!, many[before + 1]!, place - before);
  });
}

export function rgb(colour: string): [number, number, number] {
  if (colour.startsWith("#")) {
    const value = parseInt(colour.slice(1), 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
  }
  const parts = colour.match(/\d+/g)!.map(Number);
  return [parts[0]!, parts[1]!, parts[2]!];
}

export const hex = (parts: readonly number[]): string => `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

// Black or white, whichever has the higher contrast on a colour.
export function ink(colour: string): string {
  const [r, g, b] = rgb(colour).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return luminance > 0.179 ? "#000000" : "#ffffff";
}

export function mixed(colour: string, other: string, share: number): string {
  const [a, b] = [rgb(colour), rgb(other)];
  return hex(a.map((part, i) => Math.round(part + (b[i]! - part) * share)));
}

export const font = (size: number, weight = 400): string => `${weight} ${size}px system-ui, "DejaVu Sans", sans-serif`;

// SPDX-License-Identifier: BSD-3-Clause
// Light or dark: as the reader chose, or as the system says.
import { dark, light, type Look } from "../views/look";

export type Theme = "auto" | "light" | "dark";

export function lookOf(theme: Theme): Look {
  const isDark = theme === "dark" || (theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  return isDark ? dark : light;
}

// Sets the colours of the page, and returns those of its canvases.
export function setTheme(theme: Theme = "auto"): Look {
  const look = lookOf(theme);
  document.documentElement.dataset["theme"] = look.dark ? "dark" : "light";
  return look;
}

// SPDX-License-Identifier: BSD-3-Clause
// The index of a gallery.
import type { PageData } from "../load/document";
import { el } from "./dom";
import { setTheme } from "./theme";

// A picture of the first rounds.
const thumbnail = (file: string, picture: string): HTMLElement =>
  el(
    "a",
    { href: file, class: "thumbnail", tabindex: "-1", "aria-hidden": "true" },
    el("img", { src: picture, alt: "", height: "84", loading: "lazy" }),
  );

export function showIndex(root: HTMLElement, data: PageData): void {
  setTheme();
  const sections = data.sections.map((section) =>
    el(
      "section",
      {},
      el("h2", {}, section.title),
      el(
        "ul",
        {},
        ...section.pages.map((page) =>
          el(
            "li",
            {},
            ...(page.picture ? [thumbnail(page.file, page.picture)] : []),
            el("a", { href: page.file }, page.text),
            ` ${page.about}`,
          ),
        ),
      ),
    ),
  );
  root.replaceChildren(
    el("div", { class: "index" }, el("h1", {}, data.title ?? "Quadrille"), el("p", {}, data.text ?? ""), ...sections),
  );
}

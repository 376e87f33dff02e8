// SPDX-License-Identifier: BSD-3-Clause
// The index of a gallery.
import type { PageData } from "../load/document";
import { el } from "./dom";
import { setTheme } from "./theme";

// The command writes a picture of the first rounds beside each page.
function thumbnail(file: string): HTMLElement {
  return el("img", { src: file.replace(/html$/, "svg"), alt: "", height: "84", loading: "lazy" });
}

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
            el("a", { href: page.file, class: "thumbnail", tabindex: "-1", "aria-hidden": "true" }, thumbnail(page.file)),
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

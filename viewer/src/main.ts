// SPDX-License-Identifier: BSD-3-Clause
// Starts the page: reads its data and shows it, or says in a sentence why it cannot.
import { readPage } from "./load/document";
import { Refusal } from "./load/reader";
import { App } from "./page/app";
import { el } from "./page/dom";
import { showIndex } from "./page/index";
import { setTheme } from "./page/theme";
import { showProjection } from "./report/projection_page";
import { heading, showRaces } from "./report/races_page";
import { showRun } from "./report/run_page";
import "./style.css";
import { Editor } from "./write/editor";

const root = document.getElementById("page")!;
const mostBytes = 200 * 1024 * 1024;

function refuse(error: unknown): void {
  const refused = error instanceof Refusal;
  const message = error instanceof Error ? error.message : String(error);
  const sentence = refused ? message.charAt(0).toUpperCase() + message.slice(1) : `It met an error of its own: ${message}`;
  const file = el("input", { type: "file", accept: ".json,application/json", "aria-label": "Open another file" });
  file.addEventListener("change", () => void open(file.files?.[0]));
  root.replaceChildren(
    el(
      "div",
      { class: "refusal", role: "alert" },
      el("h1", {}, refused ? "This page cannot show its document" : "This page failed"),
      el("p", {}, sentence),
      el(
        "p",
        {},
        "The page shows what 'quadrille schedule --format json', 'quadrille trace', and 'race', 'tune' and 'report' with --json write. Open such a file: ",
        file,
      ),
    ),
  );
}

function show(text: string, file?: string): void {
  try {
    const data = readPage(text, file);
    document.title =
      data.title ??
      data.exchanges[0]?.title ??
      (data.races.length ? heading(data.races) : (data.run?.program ?? data.projection?.title)) ??
      "Quadrille";
    if (data.machines && location.search === "?play") return awaitPage();
    if (data.machines) new Editor(root, data.machines);
    else if (data.sections.length) showIndex(root, data);
    else if (data.races.length) showRaces(root, data.races, setTheme());
    else if (data.run) showRun(root, data.run, setTheme());
    else if (data.projection) showProjection(root, data.projection, setTheme());
    else new App(root, data);
  } catch (error) {
    refuse(error);
  }
}

// In the frame of the editor, which sends the page.
function awaitPage(): void {
  window.addEventListener("message", (event) => event.source === parent && show(String(event.data)), { once: true });
}

async function open(file: File | undefined): Promise<void> {
  if (!file) return;
  if (file.size > mostBytes) refuse(new Refusal(`${file.name} has ${file.size} bytes; this page opens at most ${mostBytes}.`));
  else show(await file.text(), file.name);
}

window.addEventListener("error", (event) => refuse(event.error ?? event.message));
window.addEventListener("unhandledrejection", (event) => refuse(event.reason));
show(document.getElementById("data")?.textContent ?? "");

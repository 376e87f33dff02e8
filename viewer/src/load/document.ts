// SPDX-License-Identifier: BSD-3-Clause
// What a page shows: one or two exchanges, or a report. A page's data is a document of one of these formats, a list of them, or a
// `quadrille-page/1`, which adds a title, a text and links to other pages.
import type { Exchange } from "../model/exchange";
import { Reader, Refusal, parsed } from "./reader";
import type { Race } from "../report/race";
import type { RunReport } from "../report/run";
import type { ProjectedRun } from "../report/projection";
import type { EditorMachine } from "../write/editor";
import { readLayout } from "./layout";
import { readProjection } from "./projection";
import { isRace, isTuning, readRace, readTuning } from "./race";
import { readRun } from "./run";
import { readSchedule } from "./schedule";
import { readTrace } from "./trace";

export interface PageLink {
  readonly text: string;
  readonly file: string;
}

const fileName = /^[a-z0-9-]+\.(html(#task=\d+)?|pdf|svg)$/;

// Part of an index: pages with a sentence each.
export interface PageSection {
  readonly title: string;
  readonly pages: readonly (PageLink & { about: string; picture?: string })[];
}

export interface PageData {
  readonly title?: string;
  readonly text?: string;
  readonly links: readonly PageLink[];
  readonly sections: readonly PageSection[];
  readonly exchanges: readonly Exchange[];
  readonly races: readonly Race[];
  readonly run?: RunReport;
  readonly projection?: ProjectedRun;
  readonly machines?: readonly EditorMachine[]; // of the page on which readers write schedules
}

const readers: ReadonlyMap<string, (document: Reader) => Exchange> = new Map([
  ["quadrille-schedule/1", readSchedule],
  ["quadrille-trace/1", readTrace],
]);

function formatOf(document: Reader): string {
  return document.optional("format", (reader) => reader.text()) ?? "";
}

function readExchange(document: Reader): Exchange {
  const format = formatOf(document);
  const read = readers.get(format);
  if (read) return read(document);
  throw new Refusal(
    format
      ? `${document.place} has the format "${format.slice(0, 60)}", which is not ${[...readers.keys()].join(" or ")}.`
      : `${document.place} has no "format", so it is no document of Quadrille.`,
  );
}

// What `quadrille simulate --json` writes.
const isPrediction = (document: Reader): boolean => !document.has("format") && document.has("candidates");

interface Documents {
  exchanges: Exchange[];
  races: Race[];
  run?: RunReport;
  projection?: ProjectedRun;
}

const mostRaces = 64;

// `layouts`: of each document, null where it has none.
function readDocuments(documents: Reader[], layouts: Reader[] = []): Documents {
  const [first] = documents;
  if (!first) throw new Refusal("The page has no schedule.");
  if (isRace(first) || isTuning(first)) {
    const races = documents.flatMap((document) => (isTuning(document) ? readTuning(document) : [readRace(document)]));
    if (races.length > mostRaces) throw new Refusal(`The page has ${races.length} races; it shows at most ${mostRaces}.`);
    return { exchanges: [], races };
  }
  if (formatOf(first) === "quadrille-report" && documents.length === 1) return { exchanges: [], races: [], run: readRun(first) };
  if (formatOf(first) === "quadrille-timeline/1" && documents.length === 1)
    return { exchanges: [], races: [], projection: readProjection(first) };
  if (isPrediction(first))
    throw new Refusal("These are predicted times of 'quadrille simulate'; 'quadrille plot' draws them, and no page shows them.");
  if (documents.length > 2)
    throw new Refusal(
      `There are ${documents.length} schedules or traces; a page shows one, or two side by side. Make it by 'quadrille view FILE --only NUMBER -o page.html'; a second --only adds another.`,
    );
  const exchanges = documents.map((document, i) => {
    const exchange = readExchange(document);
    const layout = layouts[i];
    return layout && layout.value !== null ? { ...exchange, layout: readLayout(layout, exchange) } : exchange;
  });
  return { exchanges, races: [] };
}

// A link of a gallery leads to a page in the same folder.
function readLink(reader: Reader): PageLink {
  const file = reader.at("file").text();
  if (!fileName.test(file)) reader.refuse("must be the name of a page");
  return { text: reader.at("text").text(), file };
}

const readSection = (section: Reader): PageSection => ({
  title: section.at("title").text(),
  pages: section
    .at("pages")
    .list()
    .map((page) => {
      const picture = page.optional("picture", (file) => file.text());
      return { ...readLink(page), about: page.at("about").text(), ...(picture && fileName.test(picture) ? { picture } : {}) };
    }),
});

const readMachine = (machine: Reader): EditorMachine => ({
  name: machine.at("name").text(),
  about: machine.at("about").text(),
  file: machine.at("file").text(),
});

// `file`: the name of the file that was opened; without it the data is that of the page.
export function readPage(text: string, file?: string): PageData {
  if (text.trim() === "")
    throw new Refusal(
      file === undefined ? "The page has no data. Make it by 'quadrille view', or open a file here." : `${file} is empty.`,
    );
  const document = parsed(text, file ?? "the data of this page");
  const plain = { links: [], sections: [] };
  if (Array.isArray(document.value)) return { ...plain, ...readDocuments(document.list()) };
  if (formatOf(document) !== "quadrille-page/1") return { ...plain, ...readDocuments([document]) };
  const machines = document.optional("machines", (list) => list.list().map(readMachine));
  if (machines) return { ...plain, exchanges: [], races: [], machines };
  const sections = document.optional("sections", (list) => list.list().map(readSection)) ?? [];
  // A document may be a list of several, as commands write them.
  const documents = document
    .at("documents")
    .list()
    .flatMap((entry) => (Array.isArray(entry.value) ? entry.list() : [entry]));
  return {
    title: document.optional("title", (reader) => reader.text()),
    text: document.optional("text", (reader) => reader.text()),
    links: document.optional("links", (list) => list.list().map(readLink)) ?? [],
    sections,
    ...(sections.length
      ? { exchanges: [], races: [] }
      : readDocuments(
          documents,
          document.optional("layouts", (list) => list.list()),
        )),
  };
}

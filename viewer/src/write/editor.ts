// SPDX-License-Identifier: BSD-3-Clause
// The page on which readers write schedules, and have them proved or refuted. It plays a schedule in a frame, which is the same page
// with "?play".
import { Refusal } from "../load/reader";
import { formatBytes, formatTime } from "../model/format";
import { button, choice, el } from "../page/dom";
import { setTheme } from "../page/theme";
import { wide } from "../report/parts";
import { documentOf, isDocument, offers } from "./language";
import { tasks, type Task } from "./tasks";
import { done, problemOf, rangeText, type Sources, sourcesOf, startOf, toLink } from "./sources";
import { type Answer, generate, Verifier } from "./workers";

export interface EditorMachine {
  readonly name: string;
  readonly about: string;
  readonly file: string; // the text of its file
}

interface Proved {
  readonly document: string;
  readonly answer: Answer;
}

const mostShown = 8; // ranks of the right schedule that is played

const least = (value: number | undefined, unknown: string, text: (value: number) => string = String): string =>
  value === undefined ? unknown : text(value);

function table(label: string, heads: readonly string[], rows: readonly (readonly string[])[], marked = ""): HTMLElement {
  const cells = (row: readonly string[]) => row.map((text, i) => el("td", i ? { class: "number" } : {}, text));
  return wide(
    label,
    el(
      "table",
      {},
      el("tr", {}, ...heads.map((head, i) => el("th", i ? { class: "number", scope: "col" } : { scope: "col" }, head))),
      ...rows.map((row) => el("tr", row[0] === marked ? { class: "yours" } : {}, ...cells(row))),
    ),
  );
}

export class Editor {
  private readonly verifier = new Verifier();
  private sources: Sources;
  private last: Proved | undefined;
  private readonly verdict = el("output", { class: "verdict", "aria-live": "polite" });
  private readonly results = el("div", { class: "results" });
  private readonly stage = el("div", { class: "stage" });
  private readonly taskText = el("p", { class: "about" });
  private readonly text = el("textarea", {
    "aria-label": "Your schedule",
    "aria-describedby": "help",
    spellcheck: "false",
    autocapitalize: "off",
    rows: "18",
  });
  private readonly link = el("input", { type: "text", readonly: "", "aria-label": "Link to this text", hidden: "" });
  private readonly task: HTMLSelectElement;
  private readonly collective: HTMLSelectElement;
  private readonly block: HTMLSelectElement;
  private readonly most: HTMLSelectElement;
  private readonly machine: HTMLSelectElement;
  private readonly solution: HTMLButtonElement;
  private readonly buttons: readonly HTMLButtonElement[];

  constructor(
    root: HTMLElement,
    private readonly machines: readonly EditorMachine[],
  ) {
    setTheme();
    this.sources = sourcesOf(location.hash);
    this.task = choice(
      "Task",
      [["", "no task: your own"], ...tasks.map((task, i) => [String(i + 1), task.title] as const)],
      "",
      (value) => this.take({ ...startOf(value), task: value }),
    );
    this.collective = choice(
      "Collective",
      Object.keys(offers).map((name) => [name, name.replace("_", "-")] as const),
      "",
      (value) => this.change({ collective: value }),
    );
    this.block = choice(
      "Bytes of a block",
      [8, 64, 1024, 65536, 1048576].map((bytes) => [String(bytes), `blocks of ${bytes} B`] as const),
      "",
      (value) => this.change({ block: Number(value) }),
    );
    this.most = choice(
      "Numbers of ranks",
      [4, 8, 16, 32, 64].map((most) => [String(most), `2 to ${most} ranks`] as const),
      "",
      (value) => this.change({ most: Number(value) }),
    );
    this.machine = choice(
      "Machine",
      machines.map(({ name, about }) => [name, `${name}: ${about}`] as const),
      machines[0]?.name ?? "",
      () => undefined,
    );
    this.buttons = [
      button("Prove", "Prove the schedule (Ctrl+Enter)", () => void this.run(() => this.prove())),
      button("Race", "Race against the table's algorithms on this machine", () => void this.run(() => this.race())),
    ];
    const share = button("Link", "Show a link that holds this text", () => this.share());
    this.solution = button("Solution", "Show the task's solution in place of the text", () => this.solve());
    this.text.addEventListener("input", () => this.change({ text: this.text.value }));
    this.text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void this.run(() => this.prove());
    });
    window.addEventListener("hashchange", () => this.take(sourcesOf(location.hash)));
    root.replaceChildren(
      el(
        "header",
        {},
        el("nav", { "aria-label": "Gallery" }, el("a", { href: "index.html" }, "all lessons")),
        el("h1", {}, "Write your own schedule"),
      ),
      el(
        "main",
        { class: "writing" },
        el(
          "section",
          { "aria-label": "Editor" },
          el("div", { class: "tools" }, this.task, this.collective, this.block, this.most),
          this.taskText,
          help(),
          this.text,
          el("div", { class: "tools" }, this.buttons[0]!, share, this.solution, this.machine, this.buttons[1]!),
          this.link,
        ),
        el("section", { "aria-label": "Verdict" }, this.verdict, this.results),
      ),
      this.stage,
    );
    this.take(this.sources);
    document.head.append(el("script", { src: "verifier.js" }));
  }

  private get chosen(): Task | undefined {
    return tasks[Number(this.sources.task) - 1];
  }

  private take(sources: Sources): void {
    this.sources = sources;
    const { chosen } = this;
    this.task.value = sources.task;
    this.collective.value = sources.collective;
    this.block.value = String(sources.block);
    this.most.value = String(sources.most);
    this.text.value = sources.text;
    for (const fixed of [this.collective, this.block, this.most, this.solution])
      fixed.hidden = fixed === this.solution ? !chosen : !!chosen;
    this.taskText.replaceChildren(
      ...(chosen ? [chosen.text, " ", el("a", { href: `${chosen.lesson}.html` }, "The lesson"), "."] : []),
    );
    this.forget();
    this.say("Not proved yet.");
  }

  private change(change: Partial<Sources>): void {
    this.sources = { ...this.sources, ...change };
    this.forget();
  }

  // What was proved is another text's.
  private forget(): void {
    this.last = undefined;
    this.link.hidden = true;
    this.results.replaceChildren();
    this.verdict.className = "verdict";
    if (this.verdict.textContent) this.verdict.textContent = "Changed; not proved yet.";
  }

  private say(text: string, kind = ""): void {
    this.verdict.className = `verdict ${kind}`;
    this.verdict.textContent = text;
  }

  private async run(work: () => Promise<void>): Promise<void> {
    if (this.buttons[0]!.disabled) return;
    for (const each of this.buttons) each.disabled = true;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.say(error.message, "wrong");
    } finally {
      for (const each of this.buttons) each.disabled = false;
    }
  }

  private async prove(): Promise<void> {
    this.forget();
    const begin = performance.now();
    const { text } = this.sources;
    let shown: Proved | undefined;
    const found = async (document: string): Promise<boolean> => {
      const answer = await this.verifier.ask({ ask: "prove", schedule: document });
      this.last = { document, answer };
      if (!shown || answer.cause || answer.ranks! <= mostShown) shown = this.last;
      this.say(`Proved for ${answer.ranks} ranks ...`);
      return answer.cause === undefined;
    };
    let numbers = this.chosen?.ranks ?? Array.from({ length: this.sources.most - 1 }, (_, i) => i + 2);
    if (isDocument(text)) {
      await found(text);
      numbers = [this.last!.answer.ranks!];
    } else {
      const problem = problemOf(this.sources);
      await generate(text, numbers, (_, programs) => found(documentOf(problem, programs)));
    }
    const { answer } = this.last!;
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    if (answer.cause === undefined) this.praise(`Proved for ${rangeText(numbers)}, in ${seconds} s.`, answer);
    else this.say(`Wrong for ${answer.ranks} ranks: ${answer.cause}.`, "wrong");
    await this.play(shown!);
  }

  private praise(proved: string, answer: Answer): void {
    const { chosen } = this;
    const goal = chosen && (done(chosen, answer) ? " The task is done." : " The task is not done yet: the goal is less.");
    this.say(proved + (goal ?? ""), chosen && !done(chosen, answer) ? "" : "right");
    this.results.replaceChildren(
      table(
        "Figures",
        [`${answer.ranks} ranks`, "yours", "lower bound", ...(chosen ? ["goal"] : [])],
        [
          ["C1, rounds", `${answer.c1}`, least(answer.c1_bound, "none known"), ...(chosen ? [least(chosen.goal.c1, "any")] : [])],
          [
            "C2",
            formatBytes(answer.c2!),
            least(answer.c2_bound, "none known", formatBytes),
            ...(chosen ? [least(chosen.goal.c2, "any", formatBytes)] : []),
          ],
        ],
      ),
    );
  }

  // Shows the schedule, at the place of the first cause if it is wrong.
  private async play({ document: text, answer }: Proved): Promise<void> {
    const { page } = await this.verifier.ask({ ask: "show", schedule: text });
    const at = [
      `round=${answer.round ?? 0}`,
      ...(answer.rank === undefined ? [] : [`rank=${answer.rank}`]),
      ...(answer.block ? [`block=${answer.block.join()}`] : []),
    ];
    const frame = el("iframe", { src: `?play#${at.join("&")}`, title: "The schedule, to play" });
    frame.addEventListener("load", () => frame.contentWindow?.postMessage(page, "*"));
    this.stage.replaceChildren(frame);
  }

  private async race(): Promise<void> {
    if (!this.last) await this.prove();
    const { document: text, answer } = this.last!;
    if (answer.cause !== undefined) return;
    const machine = this.machines.find(({ name }) => name === this.machine.value)!;
    const { times, model } = await this.verifier.ask({ ask: "race", schedule: text, machine: machine.file });
    const rows = times!.map(({ name, seconds, c1, c2 }) => [name, formatTime(1e12 * seconds, "ps"), `${c1}`, formatBytes(c2)]);
    const place = times!.findIndex(({ name }) => name === "yours") + 1;
    this.results.append(
      el("h2", {}, `${answer.ranks} ranks on ${machine.name}, by the model ${model}: yours is number ${place} of ${rows.length}`),
      table("Race", ["schedule", "time", "C1", "C2"], rows, "yours"),
    );
  }

  private share(): void {
    this.link.value = toLink(location.href, this.sources);
    this.link.hidden = false;
    this.link.focus();
    this.link.select();
  }

  private solve(): void {
    if (this.chosen) this.take({ ...this.sources, text: this.chosen.solution });
  }
}

function help(): HTMLElement {
  const call = (code: string, text: string) => el("li", {}, el("code", {}, code), ` ${text}`);
  return el(
    "details",
    { id: "help" },
    el("summary", {}, "What you may write"),
    el(
      "p",
      {},
      "The program says what one rank does. It is JavaScript, and knows rank and ranks. Rank 0 is the root. You may also write the text form of a schedule, which begins with quadrille-schedule-text/1.",
    ),
    el(
      "ul",
      {},
      call("send(to, place, ..)", "and receive(from, place, ..): a message of this round."),
      call(
        "copy(source, target)",
        "and reduce(source, target): in this round, before all messages. reduce combines into the target.",
      ),
      call("yield round", "ends the round; round is its number."),
      call(
        "input(i, n)",
        ", output(i, n), scratch(i, n): n blocks from block i on; without n one block. A vector has one block for each rank.",
      ),
      call("mod(a, b)", "the remainder from 0 on, also for negative a."),
    ),
  );
}

// SPDX-License-Identifier: BSD-3-Clause
// The two workers of the editor: one runs the reader's program, the other the verifier, so that a program cannot change a verdict.
// Both are made from texts, because a page that was opened from disk may load no worker. Both inherit the page's policy, which
// allows no network. Both are ended when they take too long.
import { Refusal } from "../load/reader";
import { areListed, generatorScript, linesBefore, type ListedRounds } from "./language";

declare global {
  var quadrilleVerifier: { readonly glue: string; readonly wasm: string } | undefined;
}

// Of one number of ranks.
const programSeconds = 3,
  verifierSeconds = 30;
const tooLong = (what: string, seconds: number): Refusal => new Refusal(`${what} was stopped after ${seconds} s.`);

function started(script: string): Worker {
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  return worker;
}

// Runs the reader's program for each number of ranks in turn. `found` may end the run by returning false.
export function generate(
  text: string,
  numbers: readonly number[],
  found: (ranks: number, programs: readonly ListedRounds[]) => Promise<boolean>,
): Promise<void> {
  const worker = started(generatorScript(text));
  return new Promise<void>((done, fail) => {
    let timer = 0;
    const wait = () => (timer = window.setTimeout(() => fail(tooLong("The program", programSeconds)), 1000 * programSeconds));
    const pending = [...numbers];
    let asked = 0;
    const next = () => {
      if (!pending.length) return done();
      wait();
      asked = pending.shift()!;
      worker.postMessage([asked]);
    };
    worker.onmessage = ({ data }: MessageEvent<{ programs?: unknown } | null>) => {
      clearTimeout(timer);
      const programs = data?.programs;
      const ranks = asked;
      asked = 0; // until the next number is asked, nothing is right
      if (!areListed(programs, ranks)) return fail(new Refusal("The program sent something else than what its ranks do."));
      found(ranks, programs).then((goes) => (goes ? next() : done()), fail);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      clearTimeout(timer);
      const line = event.lineno - linesBefore;
      const place = line >= 1 && line <= text.split("\n").length ? `Line ${line}: ` : "";
      fail(new Refusal(`${place}${event.message.replace(/^Uncaught (Error: )?/, "")}.`));
    };
    next();
  }).finally(() => worker.terminate());
}

async function unpacked(): Promise<{ glue: string; wasm: ArrayBuffer }> {
  const packed = globalThis.quadrilleVerifier;
  if (!packed) throw new Refusal("The verifier is missing: verifier.js is not beside this page.");
  const bytes = Uint8Array.from(atob(packed.wasm), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return { glue: packed.glue, wasm: await new Response(stream).arrayBuffer() };
}

const listener = `
let made;
onmessage = async ({ data }) => {
  if (data instanceof ArrayBuffer) return void (made = makeVerifier({ wasmBinary: data }));
  const verifier = await made, question = verifier.allocateUTF8(data);
  const answer = verifier.UTF8ToString(verifier._quadrille_answer(question));
  verifier._free(question);
  postMessage(answer);
};`;

// What viewer/verifier/answer.hpp describes.
export interface Answer {
  readonly error?: string;
  readonly ranks?: number;
  readonly problem?: string;
  readonly c1?: number;
  readonly c2?: number;
  readonly c1_bound?: number;
  readonly c2_bound?: number;
  readonly findings?: number;
  readonly cause?: string;
  readonly round?: number;
  readonly rank?: number;
  readonly block?: readonly [origin: number, from: number, bytes: number];
  readonly page?: string;
  readonly model?: string;
  readonly times?: readonly { name: string; seconds: number; c1: number; c2: number }[];
}

export class Verifier {
  private worker: Worker | undefined;
  private last: Promise<unknown> = Promise.resolve();

  // Questions are answered one after the other. Throws a refusal if the verifier refuses the schedule.
  ask(question: Record<string, string>): Promise<Answer> {
    const answer = this.last.then(() => this.answer(JSON.stringify(question)));
    this.last = answer.catch(() => undefined);
    return answer;
  }

  private async answer(question: string): Promise<Answer> {
    this.worker ??= await this.start();
    const worker = this.worker;
    const text = await new Promise<string>((done, fail) => {
      const timer = window.setTimeout(() => this.end(fail, tooLong("The verifier", verifierSeconds)), 1000 * verifierSeconds);
      worker.onmessage = ({ data }: MessageEvent<string>) => (clearTimeout(timer), done(data));
      worker.onerror = (event) => {
        event.preventDefault();
        clearTimeout(timer);
        this.end(fail, new Refusal(`The verifier failed: ${event.message}.`));
      };
      worker.postMessage(question);
    });
    const answer = JSON.parse(text) as Answer;
    if (answer.error !== undefined) throw new Refusal(`${answer.error.charAt(0).toUpperCase()}${answer.error.slice(1)}.`);
    return answer;
  }

  private async start(): Promise<Worker> {
    const { glue, wasm } = await unpacked();
    const worker = started(glue + listener);
    worker.postMessage(wasm, [wasm]);
    return worker;
  }

  private end(fail: (reason: Refusal) => void, reason: Refusal): void {
    this.worker?.terminate();
    this.worker = undefined;
    fail(reason);
  }
}

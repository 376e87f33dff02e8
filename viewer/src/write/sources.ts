// SPDX-License-Identifier: BSD-3-Clause
// What is in the editor, as links hold it: "#collective=alltoall&block=8&most=64&text=..", or "#task=4" for the start of a task.
import { offers, type WrittenProblem } from "./language";
import { tasks, type Task } from "./tasks";
import type { Answer } from "./workers";

export interface Sources {
  readonly task: string; // its number from 1 on, or empty
  readonly collective: string;
  readonly block: number; // bytes
  readonly most: number; // ranks
  readonly text: string;
}

const own: Sources = {
  task: "",
  collective: "allgather",
  block: 8,
  most: 64,
  text: `// A ring: each rank passes on to the next what it has received last.
copy(input(), output(rank));
for (let r = 0; r < ranks - 1; r++) {
  send(mod(rank + 1, ranks), output(mod(rank - r, ranks)));
  receive(mod(rank - 1, ranks), output(mod(rank - r - 1, ranks)));
  yield round;
}
`,
};

const taskNumbered = (number: string): Task | undefined => tasks[Number(number) - 1];

export function startOf(number: string): Sources {
  const task = taskNumbered(number);
  return task ? { ...own, task: number, collective: task.collective, text: task.start } : own;
}

// What does not fit is ignored.
export function sourcesOf(fragment: string): Sources {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const start = startOf(given.get("task") ?? "");
  const whole = (key: "block" | "most", most: number): number => {
    const value = Number(given.get(key));
    return Number.isInteger(value) && value >= 2 && value <= most ? value : start[key];
  };
  const collective = given.get("collective") ?? "";
  return {
    ...start,
    text: given.get("text") ?? start.text,
    ...(start.task === ""
      ? {
          collective: Object.hasOwn(offers, collective) ? collective : start.collective,
          block: whole("block", 1 << 20),
          most: whole("most", 64),
        }
      : {}),
  };
}

export function toLink(address: string, { task, collective, block, most, text }: Sources): string {
  const own = { collective, block: `${block}`, most: `${most}` };
  return `${address.replace(/#.*/, "")}#${new URLSearchParams({ ...(task ? { task } : own), text })}`;
}

export const problemOf = ({ collective, block }: Sources): WrittenProblem => ({ collective, block });

export const done = ({ goal }: Task, { c1, c2 }: Answer): boolean => c1! <= (goal.c1 ?? Infinity) && c2! <= (goal.c2 ?? Infinity);

// "2 to 8 ranks", "4, 9, 16 ranks"
export function rangeText(numbers: readonly number[]): string {
  const [first, last] = [numbers[0]!, numbers.at(-1)!];
  const text = numbers.length > 2 && last - first === numbers.length - 1 ? `${first} to ${last}` : numbers.join(", ");
  return `${text} ranks`;
}

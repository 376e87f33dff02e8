// SPDX-License-Identifier: BSD-3-Clause
// The colour and the label of bytes in memory: by origin or by target; in a reduction by the number of operands.
import { clueOf } from "../model/clue";
import { holdsBytes } from "../model/follow";
import { colours, ink, type Look, mixed } from "./look";
import { type Frame, remembered } from "./view";

export interface Paint {
  readonly fill: string;
  readonly ink: string;
}

// Colours for the numbers of ranks, or of operands: as they are, and faint behind a selection.
export const palette = remembered((count: number, look: Look, isAmount: boolean) => {
  const plain = colours(count, isAmount).map((fill) => ({ fill, ink: ink(fill) }));
  const faint = plain.map(({ fill }) => {
    const pale = mixed(fill, look.page, 0.82);
    return { fill: pale, ink: look.muted };
  });
  return { plain, faint };
});

// What decides the way of the exchange's blocks.
export const clueRuleOf = remembered(clueOf);

export function colourIndex(frame: Frame, content: number, from: number): number {
  const { replay, colourBy } = frame;
  if (replay.combines) return replay.contents.at(content).operands.length - 1;
  const target = colourBy === "target" ? replay.parts.target(content, from) : -1;
  return target < 0 ? content : target;
}

export function isFollowed(frame: Frame, content: number, from: number, bytes: number): boolean {
  return frame.selection.block !== undefined && holdsBytes(frame.replay, frame.selection.block, content, from, bytes);
}

export function label(frame: Frame, content: number, from: number, wide: boolean): string {
  const { replay } = frame;
  if (replay.combines) return replay.contents.text(content);
  const target = replay.parts.target(content, from);
  if (target < 0) return `${content}`;
  return wide ? `${content}→${target}` : `${frame.colourBy === "target" ? target : content}`;
}

export function sentence(frame: Frame, content: number, from: number): string {
  const { replay } = frame;
  if (replay.combines) {
    const { operands, repeated } = replay.contents.at(content);
    const of = operands.length === 1 ? `rank ${operands[0]}` : `ranks ${replay.contents.text(content)}`;
    return `${operands.length === 1 ? "the operand" : "the combination"} of ${of}${repeated ? ", some of them twice" : ""}`;
  }
  const target = replay.parts.target(content, from);
  return target < 0 ? `data of rank ${content}` : `block from rank ${content} to rank ${target}`;
}

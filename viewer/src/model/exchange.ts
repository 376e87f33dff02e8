// SPDX-License-Identifier: BSD-3-Clause
// One run of one schedule, as all views see it. Schedules and traces are both read into this form.
import type { Layout } from "./layout";

export const bufferNames = ["input", "output", "scratch"] as const;
export type Buffer = 0 | 1 | 2; // index in bufferNames

// Contiguous bytes of a buffer.
export interface Region {
  readonly buffer: Buffer;
  readonly offset: number;
  readonly bytes: number;
}

export type Operation = "copy" | "source-first" | "target-first";

// A copy or a reduction inside a rank. "source-first": target = source o target.
export interface Local {
  readonly index: number; // among all local operations
  readonly rank: number;
  readonly operation: Operation;
  readonly bytes: number;
  readonly source: readonly Region[];
  readonly target: readonly Region[];
}

export interface Message {
  readonly index: number; // among all messages
  readonly round: number;
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  readonly control: boolean; // a header or a count: no data
  readonly port: readonly [dimension: number, direction: number] | undefined;
  readonly ends: "both" | "sender" | "receiver"; // which ends exist; others than both only in wrong schedules
  readonly read: readonly Region[];
  readonly write: readonly Region[];
  readonly receivePlace: number; // orders what a rank receives in a round; 0 everywhere: in the order of the messages
}

export interface Round {
  readonly number: number;
  readonly stage: number;
  readonly locals: readonly Local[]; // they happen before the messages
  readonly messages: readonly Message[]; // all read before any writes
}

export interface Stage {
  readonly name: string;
  readonly first: number;
  readonly rounds: number;
}

export interface Finding {
  readonly rule: string;
  readonly text: string;
  readonly cause?: number;
  readonly rank?: number;
  readonly round?: number;
  readonly message?: number;
  readonly block?: readonly [number, number];
}

export interface Bound {
  readonly figure: string;
  readonly value: number;
  readonly source: string;
}

export interface Link {
  readonly number: number; // not every number is a link
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

// A network of which the ways of the messages are known.
export interface Network {
  readonly topology: string;
  readonly grid: readonly number[];
  readonly vertices: number;
  readonly links: readonly Link[];
  readonly ways: readonly (readonly number[])[]; // for each message, indices in links
}

// A table of intervals of ranks.
export interface Interval {
  readonly rank: number;
  readonly round: number;
  readonly begin: number;
  readonly end: number;
}

// When everything happened, by one clock. A time of -1 is not known.
export interface Clock {
  readonly kind: "logical" | "rounds" | "events" | "executed";
  readonly title: string;
  readonly unit: "round" | "ps" | "ns";
  readonly end: number;
  readonly sendBegin: ArrayLike<number>; // these four: an entry for each message
  readonly sendEnd: ArrayLike<number>;
  readonly receiveBegin: ArrayLike<number>;
  readonly receiveEnd: ArrayLike<number>;
  readonly localBegin?: ArrayLike<number>; // an entry for each local operation
  readonly localEnd?: ArrayLike<number>;
  readonly waits: readonly Interval[];
  readonly packing: readonly Interval[];
}

export interface Exchange {
  readonly title: string;
  readonly collective: string;
  readonly algorithm: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly ranks: number;
  readonly blockBytes?: number;
  readonly counts?: readonly number[] | readonly (readonly number[])[];
  readonly sharedBlocks?: boolean; // alltoallv: each rank has one block for all its targets
  readonly elementBytes: number;
  readonly root: number;
  readonly nodes?: readonly number[];
  readonly grid?: readonly number[];
  readonly buffers: readonly [readonly number[], readonly number[], readonly number[]]; // bytes at each rank
  readonly stages: readonly Stage[];
  readonly rounds: readonly Round[];
  readonly says?: ReadonlyMap<number, string>; // what the algorithm says of a round
  readonly messages: readonly Message[];
  readonly clocks: readonly Clock[]; // the logical one first
  readonly network?: Network;
  readonly layout?: Layout; // of the network's vertices, or of the ranks
  readonly findings: readonly Finding[];
  readonly bounds: readonly Bound[];
}

export function parameterText(exchange: Exchange): string {
  return [...exchange.parameters].map(([key, value]) => `${key}=${value}`).join(", ");
}

export const reductions = new Set(["reduce", "allreduce", "reduce_scatter", "reduce_scatterv", "scan", "exscan"]);

export const isReduction = (exchange: Exchange): boolean => reductions.has(exchange.collective);

// SPDX-License-Identifier: BSD-3-Clause
// The report of a program that ran under `quadrille wrap`.

export interface CallRow {
  readonly name: string; // "Alltoall, 64 B, MPI_COMM_WORLD"
  readonly calls: number;
  readonly oursCalls: number;
  readonly share: number; // of the time of all ranks
  readonly seconds: number; // of all ranks together
  readonly mostSeconds: number; // of the rank that spent most
  readonly lateSeconds: number | undefined; // that a rank waited for the others at a call, on average
  readonly vendorSeconds: number | undefined; // of a call
  readonly ourSeconds: number | undefined;
  readonly text: string; // what ran and why
}

export interface RankTime {
  readonly rank: number;
  readonly host: string;
  readonly state: string;
  readonly seconds: number;
  readonly inside: number; // seconds in collectives
}

// One of the calls in which a rank spent most time.
export interface CostlyCall {
  readonly rank: number;
  readonly begin: number; // seconds from the start of the run
  readonly seconds: number;
  readonly collective: string;
  readonly name: string; // with size and communicator
  readonly by: string; // "Quadrille" or "the MPI library"
}

export interface RunReport {
  readonly program: string;
  readonly mpi: string;
  readonly hosts: readonly string[];
  readonly start: number | undefined; // seconds since 1970
  readonly seconds: number;
  readonly share: number;
  readonly costliest: readonly CostlyCall[]; // by rank, then begin
  readonly ranks: readonly RankTime[];
  readonly rows: readonly CallRow[]; // the costliest first
  readonly traffic: readonly (readonly number[])[] | undefined; // bytes from each rank to each rank
  readonly lateSeconds: number;
}

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

export interface RunReport {
  readonly program: string;
  readonly mpi: string;
  readonly seconds: number;
  readonly share: number;
  readonly ranks: readonly RankTime[];
  readonly rows: readonly CallRow[]; // the costliest first
  readonly traffic: readonly (readonly number[])[] | undefined; // bytes from each rank to each rank
  readonly lateSeconds: number;
}

// SPDX-License-Identifier: BSD-3-Clause
// The tasks of the course, one for each lesson. A task is done if the schedule is right for all numbers of ranks, and C1 and C2 are
// at most those of the goal for the last of them.
export interface Task {
  readonly lesson: string; // the file of the lesson's page, without ".html"
  readonly title: string;
  readonly text: string;
  readonly collective: string;
  readonly ranks: readonly number[];
  readonly goal: { readonly c1?: number; readonly c2?: number };
  readonly start: string;
  readonly solution: string;
}

const upTo = (most: number): number[] => Array.from({ length: most - 1 }, (_, i) => i + 2);

const pairwise = `copy(input(rank), output(rank));
for (let d = 1; d < ranks; d++) {
  send(mod(rank + d, ranks), input(mod(rank + d, ranks)));
  receive(mod(rank - d, ranks), output(mod(rank - d, ranks)));
  yield round;
}`;

const ring = `copy(input(rank), output(rank));
// Block d of the scratch memory still has to go d ranks in all.
for (let r = 0; r < ranks - 1; r++) {
  const on = [], from = [];
  for (let d = r + 1; d < ranks; d++) {
    on.push(r == 0 ? input(mod(rank + d, ranks)) : scratch(d));
    from.push(d == r + 1 ? output(mod(rank - d, ranks)) : scratch(d));
  }
  send(mod(rank + 1, ranks), ...on);
  receive(mod(rank - 1, ranks), ...from);
  yield round;
}`;

const bruck2 = `// scratch(d) holds the block whose way is d ranks long.
for (let d = 0; d < ranks; d++) copy(input(mod(rank + d, ranks)), scratch(d));
for (let step = 1; step < ranks; step *= 2) {
  const moved = [];
  for (let d = 0; d < ranks; d++) if (d & step) moved.push(scratch(d));
  send(mod(rank + step, ranks), ...moved);
  receive(mod(rank - step, ranks), ...moved);
  yield round;
}
for (let d = 0; d < ranks; d++) copy(scratch(d), output(mod(rank - d, ranks)));`;

const ringAllgather = `copy(input(), output(rank));
for (let r = 0; r < ranks - 1; r++) {
  send(mod(rank + 1, ranks), output(mod(rank - r, ranks)));
  receive(mod(rank - 1, ranks), output(mod(rank - r - 1, ranks)));
  yield round;
}`;

export const tasks: readonly Task[] = [
  {
    lesson: "lesson-1-ring",
    title: "1. Both ways round the ring",
    text: "The program sends all blocks to the right. Let half of them go to the left: then 8 ranks need 4 rounds, not 7.",
    collective: "alltoall",
    ranks: upTo(8),
    goal: { c1: 4 },
    start: ring,
    solution: `copy(input(rank), output(rank));
const half = Math.floor(ranks / 2);
for (let r = 0; r < half; r++) {
  for (const [way, most] of [[1, half], [-1, ranks - 1 - half]]) {
    const on = [], from = [], kept = (d) => scratch(way > 0 ? d : ranks - d);
    for (let d = r + 1; d <= most; d++) {
      on.push(r == 0 ? input(mod(rank + way * d, ranks)) : kept(d));
      from.push(d == r + 1 ? output(mod(rank - way * d, ranks)) : kept(d));
    }
    if (!on.length) continue;
    send(mod(rank + way, ranks), ...on);
    receive(mod(rank - way, ranks), ...from);
  }
  yield round;
}`,
  },
  {
    lesson: "lesson-2-direct",
    title: "2. What breaks if all write to one place?",
    text: "Prove the program, read the first cause, and repair the program. It stays one round.",
    collective: "alltoall",
    ranks: upTo(16),
    goal: { c1: 1 },
    start: `copy(input(rank), output(rank));
for (let other = 0; other < ranks; other++) {
  if (other == rank) continue;
  send(other, input(other));
  receive(other, output(rank));
}`,
    solution: `copy(input(rank), output(rank));
for (let other = 0; other < ranks; other++) {
  if (other == rank) continue;
  send(other, input(other));
  receive(other, output(other));
}`,
  },
  {
    lesson: "lesson-3-pairwise",
    title: "3. Two partners at a time",
    text: "A rank with two ports can exchange with two partners in a round. Make it 4 rounds for 8 ranks, not 7.",
    collective: "alltoall",
    ranks: upTo(8),
    goal: { c1: 4 },
    start: pairwise,
    solution: `copy(input(rank), output(rank));
for (let d = 1; d <= ranks / 2; d++) {
  for (const way of new Set([d, ranks - d])) {
    send(mod(rank + way, ranks), input(mod(rank + way, ranks)));
    receive(mod(rank - way, ranks), output(mod(rank - way, ranks)));
  }
  yield round;
}`,
  },
  {
    lesson: "lesson-4-bruck",
    title: "4. Four rounds fewer",
    text: "The program takes 7 rounds for 8 ranks. Make it 3: in round k, send the blocks whose distance has bit k together.",
    collective: "alltoall",
    ranks: upTo(8),
    goal: { c1: 3 },
    start: pairwise,
    solution: bruck2,
  },
  {
    lesson: "lesson-5-radix",
    title: "5. Digits to base 4",
    text: "Radix 2 moves 256 B for 16 ranks. Move 192 B in 6 rounds: write distances to base 4.",
    collective: "alltoall",
    ranks: upTo(16),
    goal: { c1: 6, c2: 192 },
    start: bruck2,
    solution: `for (let d = 0; d < ranks; d++) copy(input(mod(rank + d, ranks)), scratch(d));
for (let place = 1; place < ranks; place *= 4)
  for (let digit = 1; digit < 4; digit++) {
    const moved = [], step = digit * place;
    for (let d = 0; d < ranks; d++) if (Math.floor(d / place) % 4 == digit) moved.push(scratch(d));
    if (!moved.length) continue;
    send(mod(rank + step, ranks), ...moved);
    receive(mod(rank - step, ranks), ...moved);
    yield round;
  }
for (let d = 0; d < ranks; d++) copy(scratch(d), output(mod(rank - d, ranks)));`,
  },
  {
    lesson: "lesson-6-four-stage",
    title: "6. Deal out a long block",
    text: "Only rank 0 has data, 24 B for rank 1, which take one message of 24 B. Deal them out first, so that C2 is 16 B.",
    collective: "alltoallv",
    ranks: [4],
    goal: { c2: 16 },
    start: `quadrille-schedule-text/1
collective alltoallv
algorithm yours
ranks 4
counts 0 24 0 0
counts 0 0 0 0
counts 0 0 0 0
counts 0 0 0 0
stage direct first 0 rounds 1

rank 0
round 0
  send to 1 input[0:24]
rank 1
round 0
  receive from 0 output[0:24]
rank 2
rank 3
`,
    solution: `quadrille-schedule-text/1
collective alltoallv
algorithm yours
ranks 4
counts 0 24 0 0
counts 0 0 0 0
counts 0 0 0 0
counts 0 0 0 0
stage deal first 0 rounds 1
stage collect first 1 rounds 1

rank 0
round 0
  send to 1 input[0:8]
  send to 2 input[8:8]
  send to 3 input[16:8]
rank 1
round 0
  receive from 0 output[0:8]
round 1
  receive from 2 output[8:8]
  receive from 3 output[16:8]
rank 2 scratch 8
round 0
  receive from 0 scratch[0:8]
round 1
  send to 1 scratch[0:8]
rank 3 scratch 8
round 0
  receive from 0 scratch[0:8]
round 1
  send to 1 scratch[0:8]
`,
  },
  {
    lesson: "lesson-7-mesh",
    title: "7. Rows, then columns",
    text: "16 ranks in 4 rows take 15 rounds. Let blocks first go along rows to the column of their target: 6 rounds.",
    collective: "alltoall",
    ranks: [4, 9, 16],
    goal: { c1: 6 },
    start: pairwise,
    solution: `const side = Math.sqrt(ranks), x = rank % side, y = (rank - x) / side;
const all = Array.from({ length: side }, (_, i) => i);
// After the rows, scratch(side * c + i) has the block from column c of this row to row i of this column.
for (let s = 0; s < side; s++) {
  const to = mod(x + s, side), from = mod(x - s, side);
  const on = all.map((i) => input(side * i + to)), into = all.map((i) => scratch(side * from + i));
  if (s == 0) { copy(on, into); continue; }
  send(side * y + to, ...on);
  receive(side * y + from, ...into);
  yield round;
}
for (let s = 0; s < side; s++) {
  const to = mod(y + s, side), from = mod(y - s, side);
  const on = all.map((c) => scratch(side * c + to)), into = all.map((c) => output(side * from + c));
  if (s == 0) { copy(on, into); continue; }
  send(side * to + x, ...on);
  receive(side * from + x, ...into);
  yield round;
}`,
  },
  {
    lesson: "lesson-8-torus",
    title: "8. All links of a ring",
    text: "The program gathers round the ring in one direction only. Use both, so that 8 ranks need 4 rounds, not 7.",
    collective: "allgather",
    ranks: upTo(8),
    goal: { c1: 4 },
    start: ringAllgather,
    solution: `copy(input(), output(rank));
const half = Math.floor(ranks / 2);
for (let r = 0; r < half; r++) {
  for (const [way, most] of [[1, half], [-1, ranks - 1 - half]]) {
    if (r >= most) continue;
    send(mod(rank + way, ranks), output(mod(rank - way * r, ranks)));
    receive(mod(rank - way, ranks), output(mod(rank - way * (r + 1), ranks)));
  }
  yield round;
}`,
  },
  {
    lesson: "lesson-9-nodes",
    title: "9. One message for each node",
    text: "Nodes have 4 ranks. Rank 0 receives 15 messages from 16 ranks. Gather inside each node first: 6 rounds in all.",
    collective: "gather",
    ranks: [4, 8, 12, 16],
    goal: { c1: 6 },
    start: `if (rank == 0) copy(input(), output(0));
for (let other = 1; other < ranks; other++) {
  if (rank == other) send(0, input());
  if (rank == 0) receive(other, output(other));
  yield round;
}`,
    solution: `const leader = rank - (rank % 4), place = rank == 0 ? output : scratch;
if (rank == leader) copy(input(), place(0));
for (let i = 1; i < 4; i++) {
  if (rank == leader + i) send(leader, input());
  if (rank == leader) receive(leader + i, place(i));
  yield round;
}
for (let other = 4; other < ranks; other += 4) {
  if (rank == other) send(0, scratch(0, 4));
  if (rank == 0) receive(other, output(other, 4));
  yield round;
}`,
  },
  {
    lesson: "lesson-10-broadcast",
    title: "10. Everybody helps",
    text: "Rank 0 sends to one rank after the other, 7 rounds for 8 ranks. Let all that have the vector pass it on: 3 rounds.",
    collective: "broadcast",
    ranks: upTo(8),
    goal: { c1: 3 },
    start: `if (rank == 0) copy(input(0, ranks), output(0, ranks));
for (let other = 1; other < ranks; other++) {
  if (rank == 0) send(other, output(0, ranks));
  if (rank == other) receive(0, output(0, ranks));
  yield round;
}`,
    solution: `if (rank == 0) copy(input(0, ranks), output(0, ranks));
for (let have = 1; have < ranks; have *= 2) {
  if (rank < have && rank + have < ranks) send(rank + have, output(0, ranks));
  if (rank >= have && rank < 2 * have) receive(rank - have, output(0, ranks));
  yield round;
}`,
  },
  {
    lesson: "lesson-11-allgather",
    title: "11. Double what you have",
    text: "The ring takes 7 rounds for 8 ranks. Send all that a rank has in each round: 3 rounds, and C2 stays 56 B.",
    collective: "allgather",
    ranks: upTo(8),
    goal: { c1: 3, c2: 56 },
    start: ringAllgather,
    solution: `copy(input(), scratch(0));
for (let have = 1; have < ranks; have *= 2) {
  const more = Math.min(have, ranks - have);
  send(mod(rank - have, ranks), scratch(0, more));
  receive(mod(rank + have, ranks), scratch(have, more));
  yield round;
}
for (let d = 0; d < ranks; d++) copy(scratch(d), output(mod(rank + d, ranks)));`,
  },
  {
    lesson: "lesson-12-allreduce",
    title: "12. Combine on the way",
    text: "Ranks exchange whole vectors of 64 B: C2 is 448 B for 8 ranks. Its order also differs between ranks, so their sums may. Combine shares on the way round: C2 of 112 B.",
    collective: "allreduce",
    ranks: upTo(8),
    goal: { c1: 14, c2: 112 },
    start: `copy(input(0, ranks), output(0, ranks));
for (let d = 1; d < ranks; d++) {
  send(mod(rank + d, ranks), input(0, ranks));
  receive(mod(rank - d, ranks), scratch(0, ranks));
  yield round;
  reduce(scratch(0, ranks), output(0, ranks));
}`,
    solution: `const next = mod(rank + 1, ranks), before = mod(rank - 1, ranks);
copy(input(0, ranks), output(0, ranks));
for (let r = 0; r < ranks - 1; r++) {
  send(next, output(mod(rank - r, ranks)));
  receive(before, scratch());
  yield round;
  reduce(scratch(), output(mod(rank - r - 1, ranks)));
}
for (let r = 0; r < ranks - 1; r++) {
  send(next, output(mod(rank + 1 - r, ranks)));
  receive(before, output(mod(rank - r, ranks)));
  yield round;
}`,
  },
];

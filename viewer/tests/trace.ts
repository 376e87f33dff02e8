// SPDX-License-Identifier: BSD-3-Clause
// A trace of two ranks, with every form of a column, strided regions, a network and two clocks.

export const traceText = JSON.stringify({
  format: "quadrille-trace/1",
  title: "alltoall, direct, 2 ranks, 8 B a block",
  collective: "alltoall",
  algorithm: "direct",
  parameters: {},
  ranks: 2,
  block_bytes: 8,
  buffers: { input: { runs: [16, 0, 2] }, output: { deltas: [16, 0] }, scratch: [0, 0] },
  stages: [{ name: "exchange", first_round: 0, round_count: 1 }],
  rounds: { number: [0], messages: [2], longest: [8], bytes: [16] },
  figures: { c1: 1, c2: 8, bounds: [{ figure: "c1", value: 1, source: "bruck1997" }] },
  messages: {
    round: [0, 0],
    from: [0, 1],
    to: [1, 0],
    bytes: [8, 8],
    // The first message is two pieces of 4 bytes, the second one piece.
    read: { regions: [1, 1], buffer: [0, 0], offset: [8, 0], length: [4, 8], inner_count: [2, 1], inner_stride: [4, 0] },
    write: { regions: [1, 1], buffer: [1, 1], offset: [0, 8], length: [8, 8] },
  },
  local: {
    round: [0, 0],
    rank: [0, 1],
    operation: [0, 0],
    bytes: [8, 8],
    source: { regions: [1, 1], buffer: [0, 0], offset: [0, 8], length: [8, 8] },
    target: { regions: [1, 1], buffer: [1, 1], offset: [0, 8], length: [8, 8] },
  },
  network: {
    topology: "full:2",
    vertices: 2,
    links: { number: [5, 9], from: [0, 1], to: [1, 0], dimension: [0, 0], text: ["0 -> 1", "1 -> 0"] },
    ways: { hops: [1, 1], link: [5, 9] },
  },
  times: [
    {
      kind: "logical",
      title: "rounds",
      unit: "round",
      end: 1,
      messages: { send_begin: [0, 0], send_end: [1, 1], receive_begin: [0, 0], receive_end: [1, 1] },
    },
    {
      kind: "executed",
      title: "executed by shared memory, blocking",
      unit: "ns",
      end: 900,
      messages: { send_begin: [120, 150], send_end: [800, 850], receive_begin: [110, 140], receive_end: [800, 850] },
      local: { begin: [10, 0], end: [100, 130] },
      waits: { rank: [0, 1], round: [0, 0], begin: [130, 160], end: [800, 850] },
    },
  ],
  findings: [{ rule: "delivery", text: "made for a test", cause: 0, rank: 1, round: 0, block: [0, 1] }],
});

// A layout of its network, in which link 9 leaves to the right and comes back on the left.
export const layoutOfTrace = {
  width: 150,
  height: 22,
  radius: 11,
  stub: 26,
  x: [11, 110],
  y: [11, 11],
  switches: [],
  parts: [{ name: "node 0", x: 0, y: 0, width: 150, height: 22, name_x: 75, name_y: 10 }],
  stubs: { link: [9], x: [1], y: [0] },
};

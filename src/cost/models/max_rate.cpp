// SPDX-License-Identifier: BSD-3-Clause
// The max-rate model: a message between nodes takes a start-up, and its bytes the rate of the rank or, where a node's ranks send
// together, that of the node's network adapter, whichever is slower: T = alpha + m / min(R_N / k, R_C). Source: Gropp, Olson and
// Samfass (2016) [gropp2016]. Beyond the paper, a node's adapter also has a least time between messages, messages inside a node
// have a start-up and a byte time of their own, the node's memory has a rate for all its ranks, and copies, reductions and rounds
// cost. Where a node has fewer cores than ranks, these take turns: their work takes at least all of it over the cores.
#include "cost/models/terms.hpp"

namespace quadrille {
namespace {

struct Rates {
  Picoseconds operation, round, startup, node_gap, inside_startup;
  ByteTime byte, node_byte, short_byte, inside_byte, far_byte, memory_byte, copy, combine;
  Count cores;
  Bytes short_bytes, far_from;

  explicit Rates(const Coefficients& c)
      : operation(time_of(c, "operation_us")),
        round(time_of(c, "round_us")),
        startup(time_of(c, "startup_us")),
        node_gap(time_of(c, "node_gap_us")),
        inside_startup(time_of(c, "inside_startup_us")),
        byte(byte_time_of(c, "us_per_byte")),
        node_byte(byte_time_of(c, "node_us_per_byte")),
        short_byte(byte_time_of(c, "inside_short_us_per_byte")),
        inside_byte(byte_time_of(c, "inside_us_per_byte")),
        far_byte(byte_time_of(c, "inside_far_us_per_byte")),
        memory_byte(byte_time_of(c, "memory_us_per_byte")),
        copy(byte_time_of(c, "copy_us_per_byte")),
        combine(byte_time_of(c, "combine_us_per_byte")),
        cores(static_cast<Count>(c.at("cores"))),
        short_bytes(static_cast<Bytes>(c.at("short_bytes"))),
        far_from(static_cast<Bytes>(c.at("far_from_bytes"))) {}

  // Of a rank, or its part of the node's where ranks take turns on cores.
  Count shared(Count of_rank, Count of_node) const { return cores == 0 ? of_rank : std::max(of_rank, ceil_divide(of_node, cores)); }

  // What a round takes, without the round itself.
  Charges of_round(const RoundFigures& r) const {
    const Count messages = shared(r.outside_messages, r.node_outside_messages);
    const Picoseconds startups = std::max(times(messages, startup), times(r.node_outside_messages, node_gap));
    const Bytes bytes = shared(r.outside_bytes, r.exchanged);
    const Picoseconds wire = std::max(byte.of(bytes), node_byte.of(r.exchanged));
    const Count inside = shared(r.inside_messages, r.node_inside_messages);
    const Bytes inside_bytes = shared(r.inside_bytes, r.node_inside_bytes);
    const Bytes copied = shared(r.copied, r.node_copied), combined = shared(r.combined, r.node_combined);
    return {Charge{r.messages > 0 ? 1 : 0, r.messages > 0 ? round : 0},
            {messages, startups},
            {bytes, wire},
            {inside, times(inside, inside_startup)},
            {inside_bytes, std::max(inside_time(inside, inside_bytes), memory_byte.of(r.node_inside_bytes))},
            bytes_charge(copied, copy),
            bytes_charge(combined, combine)};
  }

  // The first bytes of each message, the next, and those of long messages, which are in no cache.
  Picoseconds inside_time(Count messages, Bytes bytes) const {
    if (messages == 0) return 0;
    const Bytes mean = bytes / messages;
    const Bytes near = std::min(mean, short_bytes), far = far_from == 0 ? 0 : std::max<Bytes>(0, mean - far_from);
    const Bytes first = near * messages, last = far * messages;
    return add_times(add_times(short_byte.of(first), inside_byte.of(bytes - first - last)), far_byte.of(last));
  }
};

Formula formula_of(const Coefficients& coefficients) {
  const Rates rates(coefficients);
  return {.of_round = [rates](const RoundFigures& round) { return rates.of_round(round); },
          .of_stage = [rates](const StageFigures& stage, const Workload& workload) -> Charges {
            Charges charges{};
            if (&stage == &workload.stages.front()) charges[7] = {1, rates.operation};
            return charges;
          }};
}

}  // namespace

extern const Model max_rate_model{
    .id = "max-rate",
    .formula = "T = alpha + m max(1 / R_C, k / R_N): a rank's rate or the node's, and apart from it what stays in the node",
    .source = "gropp2016",
    .coefficients =
        {{.key = "startup_us", .meaning = "alpha, of a message to another node"},
         {.key = "us_per_byte", .meaning = "1 / R_C, of a byte that one rank sends to other nodes"},
         {.key = "node_us_per_byte", .meaning = "1 / R_N, of a byte that a node's ranks together send to other nodes"},
         {.key = "node_gap_us", .meaning = "least time between two messages that leave a node", .required = false, .standard = 0},
         {.key = "inside_startup_us", .meaning = "of a message inside a node"},
         {.key = "inside_us_per_byte", .meaning = "of a byte of a message inside a node"},
         {.key = "inside_short_us_per_byte", .meaning = "of its first short_bytes bytes", .required = false, .standard = 0},
         {.key = "short_bytes", .meaning = "how many these are", .required = false, .standard = 0, .most = 1e15, .is_whole = true},
         {.key = "inside_far_us_per_byte", .meaning = "of its bytes beyond far_from_bytes", .required = false, .standard = 0},
         {.key = "far_from_bytes",
          .meaning = "where these begin; 0: nowhere",
          .required = false,
          .standard = 0,
          .most = 1e15,
          .is_whole = true},
         {.key = "memory_us_per_byte",
          .meaning = "of a byte that all ranks of a node together move in memory",
          .required = false,
          .standard = 0},
         {.key = "copy_us_per_byte",
          .meaning = "of a byte that a rank copies between its own buffers",
          .required = false,
          .standard = 0},
         {.key = "combine_us_per_byte",
          .meaning = "of a byte that a rank combines in a reduction",
          .required = false,
          .standard = 0},
         {.key = "round_us", .meaning = "of a round, whatever is sent in it", .required = false, .standard = 0},
         {.key = "operation_us", .meaning = "of a whole operation", .required = false, .standard = 0},
         {.key = "cores",
          .meaning = "of a node, which its ranks share; 0: one for each rank",
          .required = false,
          .standard = 0,
          .is_whole = true}},
    .needs_work = true,
    .terms = {{"rounds"},
              {"start-ups"},
              {"bytes", true},
              {"inside start-ups"},
              {"inside bytes", true},
              {"copied bytes", true},
              {"combined bytes", true},
              {"operations"}},
    .formula_of = formula_of,
};

}  // namespace quadrille

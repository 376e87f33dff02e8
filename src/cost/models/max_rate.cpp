// SPDX-License-Identifier: BSD-3-Clause
// The max-rate model. A message between nodes takes a start-up and the time of its bytes at the lower of two rates: the rank's
// rate, and the rate of the node's network adapter divided by the number of ranks that send at the same time: T = alpha + m /
// min(R_N / k, R_C). Source: Gropp, Olson and Samfass (2016) [gropp2016]. Extensions of this library:
//  * The adapter also has a minimum time between messages. Messages within a node have their own costs; the first
//    bytes of a message may be cheaper or more expensive than later ones, because caches and protocols depend on the
//    length. The memory of a node has a rate for all its ranks together.
//  * Within a node the receiver does most of the work for a message (RoundFigures::taken_messages and the members after it).
//  * Copies, reductions, and packing messages that are not contiguous in memory take time. In a round the work of the busiest
//    rank counts, because a rank copies while others receive.
//  * If ranks wait for each other in a cycle, each round and the whole operation take a fixed time, because every
//    rank has to be scheduled before the next round can begin. Without a cycle, as in a broadcast along a tree, ranks
//    run ahead, and many operations take the time of the busiest rank's work.
//  * If a node has fewer cores than ranks, the ranks share the cores: their work takes at least the total divided by
//    the number of cores.
#include "cost/models/terms.hpp"

namespace quadrille {
namespace {

enum Term : std::size_t {
  rounds,
  startups,
  outside_bytes,
  inside_startups,
  inside_bytes,
  copied_bytes,
  combined_bytes,
  operations
};

// Coefficients for the first bytes of a message within a node, by position.
struct ByteClass {
  std::string_view key;
  Bytes end;  // the coefficient applies to bytes before this position
};
constexpr ByteClass first_classes[] = {
    {"inside_1k_us_per_byte", 1 << 10}, {"inside_16k_us_per_byte", 16 << 10}, {"inside_128k_us_per_byte", 128 << 10}};

struct Rates {
  Picoseconds operation, round, startup, node_gap, inside_startup;
  ByteTime byte, node_byte, inside_byte, memory_byte, copy, pack, combine;
  std::array<ByteTime, std::size(first_classes)> first_bytes;
  Count cores;

  explicit Rates(const Coefficients& c)
      : operation(time_of(c, "operation_us")),
        round(time_of(c, "round_us")),
        startup(time_of(c, "startup_us")),
        node_gap(time_of(c, "node_gap_us")),
        inside_startup(time_of(c, "inside_startup_us")),
        byte(byte_time_of(c, "us_per_byte")),
        node_byte(byte_time_of(c, "node_us_per_byte")),
        inside_byte(byte_time_of(c, "inside_us_per_byte")),
        memory_byte(byte_time_of(c, "memory_us_per_byte")),
        copy(byte_time_of(c, "copy_us_per_byte")),
        pack(byte_time_of(c, "pack_us_per_byte")),
        combine(byte_time_of(c, "combine_us_per_byte")),
        cores(static_cast<Count>(c.at("cores"))) {
    for (std::size_t i = 0; i < first_bytes.size(); ++i)
      first_bytes[i] = c.contains(first_classes[i].key) ? byte_time_of(c, first_classes[i].key) : inside_byte;
  }

  // Returns the work of a rank, or the node's work divided by its cores if that is more because ranks share cores.
  Count shared(Count of_rank, Count of_node) const { return cores == 0 ? of_rank : std::max(of_rank, ceil_divide(of_node, cores)); }

  // Returns the time of a round, without the time that ranks wait for each other.
  Charges work_of_round(const RoundFigures& r) const {
    const Count messages = shared(r.outside_messages, r.node_outside_messages);
    const Bytes outside = shared(r.outside_bytes, r.exchanged);
    const Count inside = shared(r.taken_messages, r.node_inside_messages);
    // The rank that copies most of its own data may not be the rank that takes most data from others.
    const Bytes stays = shared(r.taken_bytes, r.node_inside_bytes), own = r.node_inside_bytes + r.node_copied;
    const Bytes with_copied = std::max(stays, shared(r.with_copied, own));
    const Bytes with_combined = std::max(with_copied, shared(r.with_combined, own + r.node_combined));
    Charges charges{};
    charges[startups] = {messages, std::max(times(messages, startup), times(r.node_outside_messages, node_gap))};
    charges[outside_bytes] = {outside, std::max(byte.of(outside), node_byte.of(r.exchanged))};
    charges[inside_startups] = startups_charge(inside, inside_startup);
    charges[inside_bytes] = {stays, std::max(inside_time(inside, stays), memory_byte.of(r.node_inside_bytes))};
    charges[copied_bytes] = bytes_charge(with_copied - stays, copy);
    charges[combined_bytes] = bytes_charge(with_combined - with_copied, combine);
    return charges;
  }

  // Returns the fixed time of a round in which ranks wait for each other.
  Charge waiting(const RoundFigures& r) const { return r.in_cycle && r.messages > 0 ? Charge{1, round} : Charge{}; }

  // Returns the time of a stage in addition to its rounds. The first stage includes the fixed time of the operation.
  Charges beside_rounds(const StageFigures& stage, const std::vector<StageFigures>& stages) const {
    Charges charges{};
    const auto in_cycle = [](const StageFigures& each) { return !each.rounds.empty() && each.rounds.front().in_cycle; };
    if (&stage == &stages.front() && std::any_of(stages.begin(), stages.end(), in_cycle)) charges[operations] = {1, operation};
    if (!stage.in_pieces) return charges;
    Bytes packed = 0;
    for (const RoundFigures& r : stage.rounds) {
      add_bytes(packed, shared(r.outside_bytes, r.exchanged));
      add_bytes(packed, shared(r.taken_bytes, r.node_inside_bytes));
    }
    charges[copied_bytes] = bytes_charge(packed, pack);
    return charges;
  }

  // Returns the time of the bytes of `messages` messages of equal length within a node, `total` bytes together.
  Picoseconds inside_time(Count messages, Bytes total) const {
    if (messages == 0) return 0;
    Picoseconds time = 0;
    Bytes begin = 0, rest = total;
    for (std::size_t i = 0; i < first_bytes.size(); ++i) {
      const Bytes length = first_classes[i].end - begin, mean = total / messages;
      const Bytes own = mean >= first_classes[i].end ? length * messages : rest;
      time = add_times(time, first_bytes[i].of(own));
      rest -= own;
      begin = first_classes[i].end;
    }
    return add_times(time, inside_byte.of(rest));
  }

  // Returns the time under nonblocking policies: the messages of a stage are in flight at the same time, so ranks do not wait after
  // each round, unless a round sends what the round before has received.
  Charges without_steps(const std::vector<StageFigures>& stages) const {
    Charges sum{};
    for (const StageFigures& stage : stages) {
      add_charges(sum, beside_rounds(stage, stages));
      Charge step;
      for (const RoundFigures& r : stage.rounds) {
        add_charges(sum, work_of_round(r));
        if (const Charge own = waiting(r); own.amount > 0)
          step = stage.is_chained ? Charge{step.amount + own.amount, add_times(step.time, own.time)} : own;
      }
      add_charge(sum[rounds], step);
    }
    return sum;
  }
};

Formula max_rate_formula(const Coefficients& coefficients) {
  const Rates rates(coefficients);
  return {.of_round =
              [rates](const RoundFigures& round) {
                Charges charges = rates.work_of_round(round);
                charges[rounds] = rates.waiting(round);
                return charges;
              },
          .of_stage = [rates](const StageFigures& stage,
                              const Workload& workload) { return rates.beside_rounds(stage, workload.stages); },
          .overlapped =
              [rates](const std::vector<StageFigures>& stages) {
                const Charges charges = rates.without_steps(stages);
                return Overlapped{charges, charges};
              }};
}

const std::vector<ModelTerm> terms{{"rounds"},
                                   {"start-ups"},
                                   {"bytes", true},
                                   {"inside start-ups"},
                                   {"inside bytes", true},
                                   {"copied bytes", true},
                                   {"combined bytes", true},
                                   {"operations"}};

}  // namespace

extern const Model max_rate_model{
    .id = "max-rate",
    .formula = "T = alpha + m max(1 / R_C, k / R_N): the slower rate of rank and node; messages within a node are separate",
    .source = "gropp2016",
    .coefficients =
        {{.key = "startup_us", .meaning = "alpha, start-up of a message to another node"},
         {.key = "us_per_byte", .meaning = "1 / R_C, time of a byte that one rank sends to other nodes"},
         {.key = "node_us_per_byte", .meaning = "1 / R_N, time of a byte that all ranks of a node send to other nodes"},
         {.key = "node_gap_us", .meaning = "minimum time between two messages that leave a node", .required = false, .standard = 0},
         {.key = "inside_startup_us", .meaning = "start-up of a message within a node"},
         {.key = "inside_us_per_byte", .meaning = "time of a byte of a message within a node"},
         {.key = "inside_1k_us_per_byte", .meaning = "the same for its first KiB, if different", .required = false},
         {.key = "inside_16k_us_per_byte", .meaning = "the same for its next bytes up to 16 KiB, if different", .required = false},
         {.key = "inside_128k_us_per_byte",
          .meaning = "the same for its next bytes up to 128 KiB, if different",
          .required = false},
         {.key = "memory_us_per_byte",
          .meaning = "time of a byte that all ranks of a node together move in memory",
          .required = false,
          .standard = 0},
         {.key = "copy_us_per_byte",
          .meaning = "time of a byte that a rank copies between its own buffers",
          .required = false,
          .standard = 0},
         {.key = "pack_us_per_byte",
          .meaning = "additional time of a byte of a message that is not contiguous in memory",
          .required = false,
          .standard = 0},
         {.key = "combine_us_per_byte",
          .meaning = "time of a byte that a rank combines in a reduction",
          .required = false,
          .standard = 0},
         {.key = "round_us",
          .meaning = "fixed time of a round, if ranks wait for each other in a cycle",
          .required = false,
          .standard = 0},
         {.key = "operation_us",
          .meaning = "fixed time of an operation, if ranks wait for each other in a cycle",
          .required = false,
          .standard = 0},
         {.key = "cores",
          .meaning = "cores of a node, which its ranks share; 0 means one for each rank",
          .required = false,
          .standard = 0,
          .is_whole = true}},
    .tells_policies_apart = true,
    .needs_work = true,
    .terms = terms,
    .formula_of = max_rate_formula,
    .overlapped_terms = terms,
};

}  // namespace quadrille

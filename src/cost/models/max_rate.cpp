// SPDX-License-Identifier: BSD-3-Clause
// The max-rate model: a message between nodes takes a start-up, and its bytes the rate of the rank or, where a node's ranks send
// together, that of the node's network adapter, whichever is slower: T = alpha + m / min(R_N / k, R_C). Source: Gropp, Olson and
// Samfass (2016) [gropp2016]. Beyond the paper:
//  * The adapter also has a least time between messages. Messages inside a node have costs of their own; the first bytes of a
//    message may cost less or more than the next, since caches and protocols change with its length. The node's memory has a rate
//    for all its ranks.
//  * Copies, reductions, and packing messages that are not one run of bytes cost.
//  * Where ranks wait for each other in a circle, a round and an operation cost something whatever is sent in them: everybody has
//    to have its turn before the next begins. Without a circle, as in a broadcast along a tree, ranks run ahead, and the time of
//    many operations is that of the busiest rank's work.
//  * Where a node has fewer cores than ranks, these take turns: their work takes at least all of it over the cores.
#include "cost/models/terms.hpp"

namespace quadrille {
namespace {

enum Term : std::size_t { rounds, startups, bytes, inside_startups, inside_bytes, copied_bytes, combined_bytes, operations };

// The bytes of a message inside a node, from its first to its last.
struct ByteClass {
  std::string_view key;
  Bytes end;  // of those that it is for
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

  // Of a rank, or its part of the node's where ranks take turns on cores.
  Count shared(Count of_rank, Count of_node) const { return cores == 0 ? of_rank : std::max(of_rank, ceil_divide(of_node, cores)); }

  // What a round takes, without waiting.
  Charges work_of_round(const RoundFigures& r) const {
    const Count messages = shared(r.outside_messages, r.node_outside_messages);
    const Bytes outside = shared(r.outside_bytes, r.exchanged);
    const Count inside = shared(r.inside_messages, r.node_inside_messages);
    const Bytes stays = shared(r.inside_bytes, r.node_inside_bytes);
    Charges charges{};
    charges[startups] = {messages, std::max(times(messages, startup), times(r.node_outside_messages, node_gap))};
    charges[bytes] = {outside, std::max(byte.of(outside), node_byte.of(r.exchanged))};
    charges[inside_startups] = startups_charge(inside, inside_startup);
    charges[inside_bytes] = {stays, std::max(inside_time(inside, stays), memory_byte.of(r.node_inside_bytes))};
    charges[copied_bytes] = bytes_charge(shared(r.copied, r.node_copied), copy);
    charges[combined_bytes] = bytes_charge(shared(r.combined, r.node_combined), combine);
    return charges;
  }

  // Whatever is sent in it.
  Charge waiting(const RoundFigures& r) const { return r.in_circle && r.messages > 0 ? Charge{1, round} : Charge{}; }

  // What a stage takes besides its rounds; the first one the operation, too.
  Charges beside_rounds(const StageFigures& stage, const std::vector<StageFigures>& stages) const {
    Charges charges{};
    const auto in_circle = [](const StageFigures& each) { return !each.rounds.empty() && each.rounds.front().in_circle; };
    if (&stage == &stages.front() && std::any_of(stages.begin(), stages.end(), in_circle)) charges[operations] = {1, operation};
    if (!stage.in_pieces) return charges;
    Bytes packed = 0;
    for (const RoundFigures& r : stage.rounds) {
      add_bytes(packed, shared(r.outside_bytes, r.exchanged));
      add_bytes(packed, shared(r.inside_bytes, r.node_inside_bytes));
    }
    charges[copied_bytes] = bytes_charge(packed, pack);
    return charges;
  }

  // Of so many messages of the same length.
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

  // Without waiting after each round: a stage's messages are under way together.
  Charges without_steps(const std::vector<StageFigures>& stages) const {
    Charges sum{};
    const auto add = [&](const Charges& charges) {
      for (std::size_t i = 0; i < sum.size(); ++i) {
        add_bytes(sum[i].amount, charges[i].amount);
        sum[i].time = add_times(sum[i].time, charges[i].time);
      }
    };
    for (const StageFigures& stage : stages) {
      add(beside_rounds(stage, stages));
      Charge step;
      for (const RoundFigures& r : stage.rounds) {
        add(work_of_round(r));
        if (const Charge own = waiting(r); own.amount > 0) step = own;
      }
      add({step});
    }
    return sum;
  }
};

Formula formula_of(const Coefficients& coefficients) {
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
    .formula = "T = alpha + m max(1 / R_C, k / R_N): a rank's rate or the node's, and apart from it what stays in the node",
    .source = "gropp2016",
    .coefficients =
        {{.key = "startup_us", .meaning = "alpha, of a message to another node"},
         {.key = "us_per_byte", .meaning = "1 / R_C, of a byte that one rank sends to other nodes"},
         {.key = "node_us_per_byte", .meaning = "1 / R_N, of a byte that a node's ranks together send to other nodes"},
         {.key = "node_gap_us", .meaning = "least time between two messages that leave a node", .required = false, .standard = 0},
         {.key = "inside_startup_us", .meaning = "of a message inside a node"},
         {.key = "inside_us_per_byte", .meaning = "of a byte of a message inside a node"},
         {.key = "inside_1k_us_per_byte", .meaning = "of its first KiB, where these bytes differ", .required = false},
         {.key = "inside_16k_us_per_byte", .meaning = "of its next bytes, up to 16 KiB, where these differ", .required = false},
         {.key = "inside_128k_us_per_byte", .meaning = "of its next bytes, up to 128 KiB, where these differ", .required = false},
         {.key = "memory_us_per_byte",
          .meaning = "of a byte that all ranks of a node together move in memory",
          .required = false,
          .standard = 0},
         {.key = "copy_us_per_byte",
          .meaning = "of a byte that a rank copies between its own buffers",
          .required = false,
          .standard = 0},
         {.key = "pack_us_per_byte",
          .meaning = "of a byte of a message that is not one run of bytes, beside its own time",
          .required = false,
          .standard = 0},
         {.key = "combine_us_per_byte",
          .meaning = "of a byte that a rank combines in a reduction",
          .required = false,
          .standard = 0},
         {.key = "round_us",
          .meaning = "of a round, whatever is sent in it, where ranks wait for each other in a circle",
          .required = false,
          .standard = 0},
         {.key = "operation_us", .meaning = "of a whole operation in which they do", .required = false, .standard = 0},
         {.key = "cores",
          .meaning = "of a node, which its ranks share; 0: one for each rank",
          .required = false,
          .standard = 0,
          .is_whole = true}},
    .tells_policies_apart = true,
    .needs_work = true,
    .terms = terms,
    .formula_of = formula_of,
    .overlapped_terms = terms,
};

}  // namespace quadrille

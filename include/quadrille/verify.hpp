// SPDX-License-Identifier: BSD-3-Clause
// The verifier replays a schedule on symbolic bytes and reports everything that is wrong, with the rank, round and
// region. If the schedule states a symmetry, only the representatives are replayed, and the programs of other ranks are compared
// with the images of the representatives' programs (above 4,096 ranks only those of a sample, if all would take too long). This
// is possible for regular collectives in which the output of every rank depends on the inputs of all ranks, and for reductions if
// operands may be combined in any order. In all other cases all ranks are replayed.
//
//   for (const Finding& finding : verify(make_schedule(Problem::alltoall(5, 8), "bruck:radix=2")))
//     std::cout << to_string(finding) << '\n';
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/schedule.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {

// The rules. The head of src/verify/verify.cpp explains each of them.
enum class Rule : std::uint8_t {
  delivery,
  operand_order,
  operand_mismatch,
  undefined_read,
  overlapping_writes,
  overlapping_local,
  out_of_buffer,
  input_written,
  buffer_size,
  length_mismatch,
  no_operator,
  element_cut,
  element_torn,
  unmatched_message,
  repeated_message,
  self_message,
  unknown_rank,
  port_limit,
  node_port_limit,
  no_such_way,
  link_contention,
  round_order,
  stage_disagreement,
  false_symmetry,
  deadlock,
};

std::string_view name(Rule rule);
const std::vector<Rule>& all_rules();

// One violation of a rule. Fields that do not apply to the rule are absent or empty.
struct Finding {
  Rule rule = Rule::delivery;
  std::optional<Rank> rank;
  std::string stage;
  std::optional<Count> round;
  std::optional<Region> region;
  std::string message;  // what was found and what was expected
};

// "rank 3, stage 'level 0', round 1, output[8:8]: undefined-read: ..."
std::string to_string(const Finding& finding);

struct VerifyOptions {
  // The largest number of messages that a rank may send, or receive, in one round. Absent: the schedule's parameter
  // `ports` if it has one, else the limit that the algorithm states, else no limit.
  std::optional<Count> port_limit;
  // The largest number of exchanges that a node may have with other nodes in one round: the larger of the sends to
  // other nodes and the receives from them. All messages from one rank to another in a round count as one exchange. 1
  // stands for nodes with one full-duplex port. If the problem names no nodes, each rank is a node. Absent: the limit
  // that the algorithm states, else no limit.
  std::optional<Count> node_port_limit;
  // The network. With strict_links, two kinds of messages are findings: messages of one round that share a directed
  // link, and a message that does not run straight from its port to its receiver.
  std::optional<Topology> topology;
  bool strict_links = false;
  // The policies for which the verifier looks for deadlocks.
  std::vector<Policy> policies{Policy::blocking, Policy::nonblocking, Policy::dataflow};
  std::size_t most_findings = 100;  // verify stops after this many
  // Limits on memory and time: the number of contiguous pieces of memory that the replay holds at once, and the
  // number of operations of all programs that it holds. Under a symmetry only the representatives' programs count,
  // but checking node ports and links needs all programs.
  Count most_pieces = Count{1} << 26;
  Count most_operations = Count{1} << 24;
  // Above most_compared_exhaustively ranks: how many operations and runs of memory are compared with images before a sample is
  // enough. The default takes about ten seconds.
  Count most_compared_work = Count{1} << 27;
  std::optional<std::uint64_t> seed;  // seed of the sample; absent: another sample in each call
};

// How much of the schedule `verify` looked at.
struct Coverage {
  Count ranks = 0;
  Count replayed = 0;      // ranks whose programs were replayed; 0 if something is wrong and the schedule is too large for a replay
  std::string symmetry;    // the symmetry by which the replayed ranks represent all ranks; empty if all were replayed
  Count compared = 0;      // ranks whose programs were compared with images, up to the first that differs
  std::uint64_t seed = 0;  // seed of the sample, if the compared ranks are a sample

  bool is_sample() const { return replayed > 0 && !symmetry.empty() && compared < ranks; }
};
inline constexpr Count most_compared_exhaustively = 4096;

// "symmetry: translation, 1 class, all 4096 ranks compared", "sampled: symmetry translation, 1 class, 700 of 100000 ranks compared,
// seed 7", "all 5 ranks replayed", or "no rank replayed, 12 of 5000 ranks compared".
std::string to_string(const Coverage& coverage);

// Returns the findings, in this order:
//   1. ranks that do not exist;
//   2. mistakes that a program shows by itself, such as a region outside its buffer;
//   3. what the programs do wrong together, such as a message without a receive or a wrong result.
// If the list is empty, the part of the schedule that `coverage` describes is correct. If a schedule that states a symmetry is
// wrong, all ranks are replayed, so that the findings name every place; if the options do not allow this, only the
// representatives are replayed. Throws Error{too_large} if the replay needs more than the options allow, and Error{misuse} if the
// topology has a different number of ranks from the schedule.
std::vector<Finding> verify(const Schedule& schedule, const VerifyOptions& options = {}, Coverage* coverage = nullptr);

// Tests the stated symmetry: maps the representative's program to each of `ranks` and compares the result with the
// program made for that rank, byte by byte. Two differences are allowed: the order of a reduction's operands, and the
// order in which a message lists its bytes if both of its ends list them in the same order. Returns the first other
// difference, or nothing if there is none or the schedule states no symmetry.
std::optional<Finding> check_symmetry(const Schedule& schedule, const std::vector<Rank>& ranks);

}  // namespace quadrille

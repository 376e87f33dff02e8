// SPDX-License-Identifier: BSD-3-Clause
// The verifier: replays a schedule on symbolic bytes and reports everything that is wrong with it, with places. Where the schedule
// states a symmetry, representatives are replayed, and the programs of other ranks are compared with the images of theirs.
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

// The rules; src/verify/verify.cpp opens with what each of them says.
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

// What is wrong, and where. Places that make no sense for the rule are absent.
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
  // The largest number of messages that a rank may send, or receive, in a round. Absent: the schedule's parameter
  // `ports` if it has one, else the algorithm's own claim, else no limit.
  std::optional<Count> port_limit;
  // The largest number of exchanges that the ranks of a node may have with other nodes in a round, the larger of: messages sent
  // to other nodes, messages received from them. All that a rank sends to another in a round counts once. 1: nodes with one port,
  // which works both ways at once. Where the problem names no nodes, every rank is one. Absent: the algorithm's own claim, else
  // no limit.
  std::optional<Count> node_port_limit;
  // The network. With strict_links two messages of a round over one directed link are a finding, and a message that does not run
  // straight from its port to its receiver.
  std::optional<Topology> topology;
  bool strict_links = false;
  std::vector<Policy> policies{Policy::blocking, Policy::nonblocking, Policy::dataflow};  // looked at for deadlock
  std::size_t most_findings = 100;                                                        // stop after so many
  // Bounds on memory and time: contiguous pieces of memory held at once, and operations of all programs that are held. Under a
  // symmetry those are the representatives'; node ports and links are looked at with all programs.
  Count most_pieces = Count{1} << 26;
  Count most_operations = Count{1} << 24;
};

// What `verify` looked at.
struct Coverage {
  Count ranks = 0;
  Count replayed = 0;    // ranks
  std::string symmetry;  // by which those stand for all; empty: all ranks were replayed
  Count compared = 0;    // ranks whose programs were compared with images: all up to most_compared_exhaustively, else a sample
};
inline constexpr Count most_compared_exhaustively = 4096;

// "symmetry: translation, 1 class, all 4096 ranks compared", or "all 5 ranks replayed".
std::string to_string(const Coverage& coverage);

// Empty: the schedule is right, as far as `coverage` says it was looked at. Throws Error{too_large} if the replay needs more than
// the options allow, and Error{misuse} unless the topology has as many ranks as the schedule. Where something is wrong with a
// schedule that states a symmetry, all ranks are replayed if the options allow it, so that the findings name every place.
std::vector<Finding> verify(const Schedule& schedule, const VerifyOptions& options = {}, Coverage* coverage = nullptr);

// Tests a stated symmetry: maps the representative's program onto each of `ranks` and compares it with the program made
// for that rank, byte by byte. The order of a reduction's operands may differ, and the order in which a message lists its bytes, if
// both its ends list them alike. Returns the first difference; nothing if there is none, or no symmetry stated.
std::optional<Finding> check_symmetry(const Schedule& schedule, const std::vector<Rank>& ranks);

}  // namespace quadrille

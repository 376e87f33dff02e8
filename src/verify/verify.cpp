// SPDX-License-Identifier: BSD-3-Clause
// The rules that a schedule must keep. Each has a negative test in tests/verify/rules_test.cpp.
//
// What every program must be (structure.cpp):
//   out-of-buffer        a region lies inside its buffer, and the buffer is input, output or scratch
//   input-written        nothing writes to the input
//   buffer-size          a document's input and output buffers have the sizes of its collective
//   length-mismatch      source and target of a local operation, and both ends of a message, are equally long
//   no-operator          only the schedule of a reduction has operations that reduce
//   element-cut          each region of an operation that reduces is whole elements, and so is each of its runs
//   unknown-rank         the peer of a message is one of the ranks
//   self-message         no message goes from a rank to itself
//   round-order          rounds ascend, and each lies in a stage
//   stage-disagreement   all programs name the same stages
//   repeated-message     from one rank to another there is one message a round for each port, and one control message
//   port-limit           no rank sends, or receives, more messages a round than there are ports
// What they must be where the schedule states a symmetry (symmetry.cpp):
//   false-symmetry       the program of each rank is the image of that of its representative
// What all programs together must be (node_ports.cpp):
//   node-port-limit      no node has more exchanges with other nodes in a round than it has ports
// What they are on a network, if asked for (links.cpp):
//   no-such-way          a message with a port runs straight along that dimension to its receiver
//   link-contention      no directed link is in two messages of a round
// What happens when all programs run (replay.cpp; by_symmetry.cpp says why representatives are enough):
//   unmatched-message    every send has its receive in the same round, and every receive its send; the same for control
//   overlapping-writes   no two writes of a round meet at a rank; no operation writes a byte twice
//   overlapping-local    source and target of a local operation do not overlap
//   undefined-read       nothing is read from output or scratch that was not written before
//   operand-mismatch     a reduction combines the same elements of both operands
//   element-torn         each element of an operand, and of the result, is one whole element: its bytes in their order, of operands
//                        that were combined in one way
//   operand-order        with an operator that does not commute, operands are combined in rank order, and along the fixed tree
//                        where the result is to be reproducible
//   delivery             at the end every byte of the output is what the collective asks for; nobody is left out of a barrier
// What happens when they run at their own pace (deadlock.cpp):
//   deadlock             if a message completes only when both ends have posted it, everything completes under each policy
//
// Not looked at: how long anything takes.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "problem/limits.hpp"
#include "quadrille/error.hpp"
#include "quadrille/traffic.hpp"
#include "schedule/extent.hpp"
#include "schedule/symmetry.hpp"
#include "topology/round_messages.hpp"
#include "verify/replay.hpp"

namespace quadrille {
namespace {

constexpr std::array<std::string_view, 25> rule_names{
    "delivery",          "operand-order", "operand-mismatch",   "undefined-read",    "overlapping-writes",
    "overlapping-local", "out-of-buffer", "input-written",      "buffer-size",       "length-mismatch",
    "no-operator",       "element-cut",   "element-torn",       "unmatched-message", "repeated-message",
    "self-message",      "unknown-rank",  "port-limit",         "node-port-limit",   "no-such-way",
    "link-contention",   "round-order",   "stage-disagreement", "false-symmetry",    "deadlock"};

Count port_limit(const Schedule& schedule, const VerifyOptions& options) {
  if (options.port_limit) return *options.port_limit;
  if (const auto ports = schedule.parameters.find("ports"); ports != schedule.parameters.end())
    if (const Count* value = std::get_if<Count>(&ports->second)) return *value;
  return schedule.port_limit.value_or(std::numeric_limits<Count>::max());
}

constexpr Count largest = std::numeric_limits<Count>::max();

// What the replay of so many ranks holds at the end, at least: a piece for each rank's input and for each piece of the
// postcondition, and for a barrier the ranks that each has heard from, before a round and after it, 64 to a piece. Empty pieces are
// not counted. For alltoallv, counting stops as soon as the count exceeds `limit`.
Count least_pieces(const Problem& problem, Count replayed, Count limit) {
  const Count p = problem.ranks;
  switch (problem.collective) {
    case Collective::barrier: return times_at_most(replayed, 2 * ceil_divide(p, 64), largest);
    case Collective::alltoall:
    case Collective::allgather: return problem.block_bytes > 0 ? times_at_most(replayed, p, largest) : replayed;
    case Collective::allgatherv: {
      const auto shares = p - std::count(problem.counts->begin(), problem.counts->end(), Bytes{0});
      return times_at_most(replayed, shares + 1, largest);
    }
    case Collective::alltoallv: break;
    default: return replayed;
  }
  const Traffic traffic(problem);
  Count pieces = p;
  for (Rank rank = 0; rank < p && pieces <= limit; ++rank) pieces += static_cast<Count>(traffic.received_by(rank).size());
  return pieces;
}

// Bytes that one of them takes, about.
constexpr Bytes bytes_of_operation = 128, bytes_of_piece = 64;

void check_operation_count(const Schedule& schedule, const VerifyOptions& options) {
  const Count operations = operation_count(schedule, options.most_operations);
  check_limit(schedule.problem, operations, options.most_operations, "operations to replay");
  check_memory(schedule.problem, times_at_most(operations, bytes_of_operation, largest), "programs");
}

// Counts ahead where there are more than a few, so that small schedules are made once.
std::vector<Program> all_programs(const Schedule& schedule, const VerifyOptions& options) {
  const Count few = std::min(options.most_operations, Count{1} << 16);
  std::vector<Program> programs;
  Count operations = 0;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) {
    programs.push_back(schedule.program(rank));
    const Count before = operations;
    operations += operation_count(programs.back());
    if (before <= few && operations > few) check_operation_count(schedule, options);
  }
  return programs;
}

}  // namespace

std::string_view name(Rule rule) { return rule_names.at(static_cast<std::size_t>(rule)); }

const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> list;
    for (std::size_t i = 0; i < rule_names.size(); ++i) list.push_back(static_cast<Rule>(i));
    return list;
  }();
  return rules;
}

std::string to_string(const Finding& finding) {
  std::string place;
  const auto add = [&](const std::string& part) { place += (place.empty() ? "" : ", ") + part; };
  if (finding.rank) add(fmt::format("rank {}", *finding.rank));
  if (!finding.stage.empty()) add(fmt::format("stage '{}'", finding.stage));
  if (finding.round) add(fmt::format("round {}", *finding.round));
  if (finding.region) add(to_string(*finding.region));
  return fmt::format("{}{}{}: {}", place, place.empty() ? "" : ": ", name(finding.rule), finding.message);
}

std::string stage_name(const std::vector<Stage>& stages, Count round) {
  for (const Stage& stage : stages)
    if (round >= stage.first_round && round - stage.first_round < stage.round_count) return stage.name;
  return "";
}

std::array<Bytes, 4> buffer_sizes(const Schedule& schedule, const Program& program) {
  const auto size = [&](const std::vector<Bytes>& stated, Bytes canonical) {
    return stated.empty() ? canonical : stated[static_cast<std::size_t>(program.rank)];
  };
  return {size(schedule.stated_input_bytes, input_bytes(schedule.problem, program.rank)),
          size(schedule.stated_output_bytes, output_bytes(schedule.problem, program.rank)), program.scratch_bytes, 0};
}

bool lies_in(const std::array<Bytes, 4>& sizes, const Region& region) {
  try {
    const auto [first, last] = hull(region);
    return region.length >= 0 && first >= 0 && last <= sizes[static_cast<std::size_t>(region.buffer)];
  } catch (const Error&) {  // past 2^63
    return false;
  }
}

void check_pieces(const Problem& problem, Count replayed, const VerifyOptions& options) {
  const Count pieces = least_pieces(problem, replayed, options.most_pieces);
  check_limit(problem, pieces, options.most_pieces, "pieces of memory to replay");
  check_memory(problem, times_at_most(pieces, bytes_of_piece, largest), "replay");
}

namespace {

// What depends on where ranks sit.
void check_places(const Schedule& schedule, const EachProgram& each_program, const VerifyOptions& options, Report& report) {
  if (const auto limit = options.node_port_limit ? options.node_port_limit : schedule.node_port_limit)
    check_node_ports(schedule, each_program, *limit, report);
  if (options.topology && options.strict_links) check_links(schedule, each_program, *options.topology, report);
}

void check_all_ranks(const Schedule& schedule, const VerifyOptions& options, Report& report) {
  const Count p = schedule.problem.ranks;
  check_pieces(schedule.problem, p, options);
  check_limit(schedule.problem, p, options.most_operations, "operations to replay");
  const std::vector<Program> programs = all_programs(schedule, options);
  check_structure(schedule, programs, port_limit(schedule, options), report);
  check_places(
      schedule, [&](const auto& visit) { std::for_each(programs.begin(), programs.end(), visit); }, options, report);
  // Where regions reach beyond their buffers there is no memory to replay on.
  if (report.has(Rule::out_of_buffer)) return;
  if (!report.full()) replay(schedule, no_symmetry(p), programs, options, report);
  if (!report.full()) check_deadlock(programs, options.policies, report);
}

}  // namespace

std::string to_string(const Coverage& coverage) {
  if (coverage.symmetry.empty()) return fmt::format("all {} ranks replayed", coverage.ranks);
  const std::string compared = coverage.compared == coverage.ranks ? fmt::format("all {}", coverage.ranks)
                                                                   : fmt::format("{} of {}", coverage.compared, coverage.ranks);
  return fmt::format("symmetry: {}, {} class{}, {} ranks compared", coverage.symmetry, coverage.replayed,
                     coverage.replayed == 1 ? "" : "es", compared);
}

std::vector<Finding> verify(const Schedule& schedule, const VerifyOptions& options, Coverage* coverage) {
  check(schedule.problem);
  if (options.topology) check_ranks(*options.topology, schedule.problem);
  Report some_ranks(options.most_findings);
  if (schedule.symmetry && schedule.stated_input_bytes.empty() && schedule.stated_output_bytes.empty()) {
    Coverage by_symmetry;
    check_by_symmetry(schedule, options, port_limit(schedule, options), some_ranks, by_symmetry);
    if (some_ranks.empty() && by_symmetry.replayed > 0) {
      if (coverage) *coverage = by_symmetry;
      if (options.node_port_limit || schedule.node_port_limit || options.strict_links) {
        check_operation_count(schedule, options);
        const auto each_program = [&](const auto& visit) {
          for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) visit(schedule.program(rank));
        };
        check_places(schedule, each_program, options, some_ranks);
      }
      return some_ranks.take();
    }
  }
  Report all_ranks(options.most_findings);
  const bool is_false = some_ranks.has(Rule::false_symmetry);
  std::vector<Finding> found = some_ranks.take();
  if (is_false) all_ranks.add(found.front());
  try {
    check_all_ranks(schedule, options, all_ranks);
    if (coverage) *coverage = {schedule.problem.ranks, schedule.problem.ranks, "", 0};
    return all_ranks.take();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::too_large || found.empty()) throw;
    return found;
  }
}

}  // namespace quadrille

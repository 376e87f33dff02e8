// SPDX-License-Identifier: BSD-3-Clause
// The rules that a schedule must obey. For each rule, tests/verify/rules_test.cpp has a test that breaks the rule;
// tests/verify/faulty has files that do.
//
// Rules for each program (structure.cpp):
//   out-of-buffer        a region lies within its buffer, and the buffer is input, output or scratch
//   input-written        nothing writes to the input
//   buffer-size          the input and output buffers that a file states have the sizes that the collective requires
//   length-mismatch      source and target of a local operation are equally long, and so are both ends of a message
//   no-operator          only the schedule of a reduction has operations that reduce
//   element-cut          in a reduction, each region consists of whole elements, and so does each of its runs
//   unknown-rank         the peer of a message is one of the ranks
//   self-message         no rank sends a message to itself
//   round-order          rounds are in ascending order, and each belongs to a stage
//   stage-disagreement   all programs list the same stages
//   repeated-message     in a round, one rank sends another at most one message on each port, and one control message
//   port-limit           no rank sends, or receives, more messages in a round than it has ports
// Rule for schedules that state a symmetry (by_symmetry.cpp):
//   false-symmetry       the program of each rank is the image of its representative's program
// Rule for all programs together (network_rules.cpp):
//   node-port-limit      no node has more exchanges with other nodes in a round than it has ports
// Rules for schedules on a network, if requested (network_rules.cpp):
//   no-such-way          a message with a port runs straight along that dimension to its receiver
//   link-contention      no two messages of a round share a directed link
// Rules that are checked by running all programs (replay.cpp; by_symmetry.cpp says why representatives suffice):
//   unmatched-message    every send has its receive in the same round, and every receive its send; so do control messages
//   overlapping-writes   in a round, no byte of a rank is received twice, and no operation writes a byte twice
//   overlapping-local    source and target of a local operation do not overlap
//   undefined-read       no byte of output or scratch is read before it was written
//   operand-mismatch     a reduction combines the same elements of both operands
//   element-torn         each element of an operand, and of the result, is whole: its bytes are those of one element, in order,
//                        and all were combined from operands in the same way
//   operand-order        if the operator does not commute, operands are combined in rank order; if the result is to be
//                        reproducible, along the fixed tree
//   delivery             at the end, every byte of the output is what the collective requires; in a barrier, every rank has
//                        heard from all others
// Rule for ranks that run at their own pace (deadlock.cpp):
//   deadlock             with rendezvous messages, which complete only when both ends are posted, everything completes under
//                        each policy
//
// The verifier does not check times.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "foundation/text/wording.hpp"
#include "problem/collective_facts.hpp"
#include "problem/limits.hpp"
#include "quadrille/error.hpp"
#include "quadrille/traffic.hpp"
#include "schedule/comparison.hpp"
#include "schedule/regions.hpp"
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

constexpr Count verify_largest = std::numeric_limits<Count>::max();

// Returns a lower bound on the pieces that a replay of `replayed` ranks holds at its end: one for each rank's input and one for
// each non-empty piece of the postcondition. In a barrier, a rank holds two sets of the ranks from which it has heard, one before
// and one after a round; 64 ranks take as much memory as a piece. For alltoallv, counting stops when the number exceeds `limit`.
Count least_pieces(const Problem& problem, Count replayed, Count limit) {
  const Count p = problem.ranks;
  if (!moves_data(problem.collective)) return times_at_most(replayed, 2 * ceil_divide(p, 64), verify_largest);
  if (has_pair_counts(problem.collective)) {
    const Traffic traffic(problem);
    Count pieces = p;
    for (Rank rank = 0; rank < p && pieces <= limit; ++rank) pieces += static_cast<Count>(traffic.received_by(rank).size());
    return pieces;
  }
  if (!every_rank_has_all(facts_of(problem.collective).output)) return replayed;
  if (has_blocks(problem.collective)) return problem.block_bytes > 0 ? times_at_most(replayed, p, verify_largest) : replayed;
  const auto shares = p - std::count(problem.counts->begin(), problem.counts->end(), Bytes{0});
  return times_at_most(replayed, shares + 1, verify_largest);
}

// Approximate sizes in memory.
constexpr Bytes bytes_of_operation = 128, bytes_of_piece = 64;

void check_operation_count(const Schedule& schedule, const VerifyOptions& options) {
  const Count operations = operation_count(schedule, options.most_operations);
  check_limit(schedule.problem, operations, options.most_operations, "operations to replay");
  check_memory(schedule.problem, times_at_most(operations, bytes_of_operation, verify_largest), "programs");
}

// Makes all programs. As soon as they have more than a small number of operations, estimates the total, and refuses a schedule
// that is too large.
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
  if (finding.region) add(in_words(*finding.region));
  return fmt::format("{}{}{}: {}", place, place.empty() ? "" : ": ", name(finding.rule), finding.message);
}

int urgency(Rule rule) {
  switch (rule) {
    case Rule::unknown_rank: return 2;
    case Rule::self_message:
    case Rule::out_of_buffer:
    case Rule::input_written:
    case Rule::buffer_size:
    case Rule::length_mismatch:
    case Rule::no_operator:
    case Rule::element_cut:
    case Rule::round_order:
    case Rule::stage_disagreement:
    case Rule::false_symmetry: return 1;
    default: return 0;
  }
}

std::string stage_name(const std::vector<Stage>& stages, Count round) {
  for (const Stage& stage : stages)
    if (round >= stage.first_round && round - stage.first_round < stage.round_count) return stage.name;
  return "";
}

std::array<Bytes, 4> buffer_sizes(const Schedule& schedule, const Program& program) {
  const BufferBytes buffers = buffer_bytes(schedule, program.rank);
  return {buffers.input, buffers.output, program.scratch_bytes, 0};
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
  check_memory(problem, times_at_most(pieces, bytes_of_piece, verify_largest), "replay");
}

namespace {

// Checks the rules that depend on the nodes and links of ranks.
void check_places(const Schedule& schedule, const EachProgram& each_program, const VerifyOptions& options, FindingList& findings) {
  if (const auto limit = options.node_port_limit ? options.node_port_limit : schedule.node_port_limit)
    check_node_ports(schedule, each_program, *limit, findings);
  if (options.topology && options.strict_links) check_links(schedule, each_program, *options.topology, findings);
}

void check_all_ranks(const Schedule& schedule, const VerifyOptions& options, FindingList& findings) {
  const Count p = schedule.problem.ranks;
  check_pieces(schedule.problem, p, options);
  check_limit(schedule.problem, p, options.most_operations, "operations to replay");
  const std::vector<Program> programs = all_programs(schedule, options);
  check_structure(schedule, programs, port_limit(schedule, options), findings);
  check_places(
      schedule, [&](const auto& visit) { std::for_each(programs.begin(), programs.end(), visit); }, options, findings);
  // Regions outside their buffers have no memory, so the schedule cannot be replayed.
  if (findings.has(Rule::out_of_buffer)) return;
  if (!findings.full()) replay(schedule, no_symmetry(p), programs, options, findings);
  if (!findings.full()) check_deadlock(programs, options.policies, findings);
}

std::vector<Finding> unordered_findings(const Schedule& schedule, const VerifyOptions& options, Coverage* coverage) {
  check(schedule.problem);
  if (options.topology) check_ranks(*options.topology, schedule.problem);
  FindingList some_ranks(options.most_findings);
  Coverage by_symmetry;
  if (schedule.symmetry && schedule.stated_input_bytes.empty() && schedule.stated_output_bytes.empty()) {
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
  FindingList all_ranks(options.most_findings);
  const bool is_false = some_ranks.has(Rule::false_symmetry);
  std::vector<Finding> found = some_ranks.take();
  if (is_false) all_ranks.add(found.front());
  try {
    check_all_ranks(schedule, options, all_ranks);
    if (coverage) *coverage = {schedule.problem.ranks, schedule.problem.ranks, "", 0};
    return all_ranks.take();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::too_large || found.empty()) throw;
    if (coverage) *coverage = by_symmetry;
    return found;
  }
}

}  // namespace

std::string to_string(const Coverage& coverage) {
  const std::string ranks = counted(coverage.ranks, "rank");
  const std::string compared =
      coverage.compared == coverage.ranks ? "all " + ranks : fmt::format("{} of {}", coverage.compared, ranks);
  if (coverage.replayed == 0) return fmt::format("no rank replayed, {} compared", compared);
  if (coverage.symmetry.empty()) return fmt::format("all {} replayed", ranks);
  return fmt::format("{}{}, {} class{}, {} compared{}",
                     coverage.is_sample() ? "sampled: symmetry " : "symmetry: ", coverage.symmetry, coverage.replayed,
                     coverage.replayed == 1 ? "" : "es", compared,
                     coverage.is_sample() ? fmt::format(", seed {}", coverage.seed) : "");
}

std::vector<Finding> verify(const Schedule& schedule, const VerifyOptions& options, Coverage* coverage) {
  std::vector<Finding> findings = unordered_findings(schedule, options, coverage);
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return urgency(a.rule) > urgency(b.rule); });
  return findings;
}

}  // namespace quadrille

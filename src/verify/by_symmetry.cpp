// SPDX-License-Identifier: BSD-3-Clause
// Verifies a schedule by its stated symmetry: replays the programs of the representatives, and compares the programs
// of other ranks with the images of theirs. If every program is the image of its representative's, the result holds
// for all ranks, for these reasons:
//
// - The group permutes ranks, and with them the blocks that belong to ranks. It maps buffers to buffers, bytes one to
//   one, each round to itself, and a message between two ranks to a message between their images.
// - Rules about one program (structure.cpp): regions within their buffers, lengths, peers, ports, order of rounds and
//   stages are the same as in the representative's program. Whole elements in reductions (element-cut) are compared
//   in addition to the bytes.
// - Matching: the send that a receive of rank r needs is the image of one that a receive of r's representative needs.
//   Exactly one element of the commutative group maps a given rank to its representative. Both ends of a message are
//   mapped by the sender's element, and then compared (replay.cpp).
// - Memory (undefined-read, overlaps, operand-mismatch, length-mismatch): before the first round, the memory of a
//   rank is the image of its representative's. It stays so, because in each round both do the same, and the pairs of
//   bytes that a message connects are the images of those that the message between the representatives connects. No
//   rule depends on the order in which the two ends list these pairs.
// - Delivery: the output that the collective requires of a rank is the image of what it requires of the
//   representative. This holds for collectives in which every output depends on the inputs of all ranks, because no
//   rank is then special as the root, the first or a neighbour.
// - Reductions: combining the images of operands gives the image of the combined operands. This holds if operands
//   commute and no element is split (element-torn). If the order of operands matters (operand-order), all ranks are
//   replayed.
// - Deadlock: if every send has its receive in the same round and rounds are in ascending order, there is no
//   deadlock. Consider the first round in which some operation never completes. Under every policy
//   (schedule/ordering.hpp), an operation waits only for its own rank's operations of earlier rounds, for local
//   operations before it, and until certain sends of the round are posted or packed: those of the same channel with
//   lower ports, and those whose memory it overwrites. All these events happen, so both ends of each message of the
//   round are posted.
//
// The group does not preserve on which node a rank is. Node ports and links are therefore checked with all programs
// (verify.cpp).
#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "problem/collective_facts.hpp"
#include "problem/limits.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/extent.hpp"
#include "verify/elements.hpp"
#include "verify/replay.hpp"

namespace quadrille {
namespace {

constexpr Count sampled = 64;

// Returns all ranks up to a limit. Beyond it, returns random ranks other than representatives, at least one of each
// class, and always the same ones.
std::vector<Rank> compared_ranks(const Symmetry& symmetry) {
  const Count p = symmetry.ranks(), classes = size(symmetry.representatives());
  std::vector<Rank> all(p <= most_compared_exhaustively ? index(p) : 0);
  std::iota(all.begin(), all.end(), Rank{0});
  if (!all.empty() || classes == p) return all;
  std::mt19937_64 random(static_cast<std::uint64_t>(p));
  std::set<Rank> ranks;
  for (Count drawn = 0; drawn < classes || static_cast<Count>(ranks.size()) < std::min(sampled, p - classes);) {
    const Rank rank = std::uniform_int_distribution<Rank>(0, p - 1)(random);
    if (symmetry.representative_of(rank) == rank) continue;
    ranks.insert(symmetry.image(rank, symmetry.representatives()[index(drawn++ % classes)]));
  }
  return {ranks.begin(), ranks.end()};
}

// Does the collective require the same of every rank, and is every combination of operands mapped to the combination of the images?
bool asks_alike(const Problem& problem, const std::vector<Program>& programs) {
  if (is_irregular(problem.collective) || !all_depend_on_all(problem.collective)) return false;
  if (!is_reduction(problem.collective)) return true;
  return required_combining(problem) == Combining::any_order && keep_elements(programs, problem.element_bytes);
}

}  // namespace

void check_by_symmetry(const Schedule& schedule, const VerifyOptions& options, Count port_limit, FindingList& findings,
                       Coverage& coverage) {
  if (auto wrong = check_symmetry(schedule, {})) return findings.add(std::move(*wrong));
  const std::vector<Rank>& representatives = schedule.symmetry->representatives();
  check_pieces(schedule.problem, size(representatives), options);
  std::vector<Program> programs;
  Count operations = 0;
  for (const Rank rank : representatives) {
    programs.push_back(schedule.program(rank));
    operations += operation_count(programs.back());
    check_limit(schedule.problem, operations, options.most_operations, "operations to replay");
  }
  check_structure(schedule, programs, port_limit, findings);
  if (!findings.empty()) return;
  const std::vector<Rank> ranks = compared_ranks(*schedule.symmetry);
  if (auto wrong = check_symmetry(schedule, ranks)) return findings.add(std::move(*wrong));
  if (!asks_alike(schedule.problem, programs)) return;
  replay(schedule, *schedule.symmetry, programs, options, findings);
  coverage = {schedule.problem.ranks, size(programs), schedule.symmetry->name(), size(ranks)};
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Verifies a schedule by its stated symmetry: replays the programs of the representatives, and compares the programs of other ranks
// with the images of their representatives' programs (above 4,096 ranks a sample of the other ranks). If every program is the image
// of its representative's program, the result holds for all ranks, for these reasons:
//
// - The group permutes ranks, and with them the blocks that belong to ranks. It maps buffers to buffers, bytes one to
//   one, each round to itself, and a message between two ranks to a message between their images.
// - Rules about one program (structure.cpp): regions within their buffers, lengths, peers, ports, order of rounds and
//   stages are the same as in the representative's program. Whole elements in reductions (element-cut) are compared
//   in addition to the bytes.
// - Matching: the send that a receive of rank r needs is the image of the send that the same receive of r's
//   representative needs. The group is commutative, and exactly one element of it maps a given rank to its
//   representative. The sender's element maps both ends of a message, and the images are compared (replay.cpp).
// - Memory (undefined-read, overlaps, operand-mismatch, length-mismatch): before the first round, the memory of a
//   rank is the image of its representative's memory. This stays true in each round: both ranks do the same local
//   operations, and a message of the rank connects the images of the pairs of bytes that the representative's message
//   connects. No rule depends on the order in which the two ends list these pairs.
// - Delivery: the output that the collective requires of a rank is the image of the output that it requires of the
//   representative. This holds for collectives in which every output depends on the inputs of all ranks: no rank is
//   then special, such as a root, a first rank or a neighbour.
// - Reductions: combining the images of operands gives the image of the combined operands. This holds if operands
//   commute and no element is split (element-torn). If the order of operands matters (operand-order), all ranks are
//   replayed.
// - Deadlock: if every send has its receive in the same round and rounds are in ascending order, there is no
//   deadlock. Suppose there is one, and consider the first round in which some operation never completes. Under every
//   policy (schedule/ordering.hpp), an operation waits only for three things: its own rank's operations of earlier
//   rounds, local operations before it, and the posting or packing of sends of its round that have lower ports in the
//   same channel or whose memory it overwrites. All of these happen. So both ends of each message of the round are
//   posted, and the messages complete.
//
// The group need not map nodes to nodes or links to links. So node ports and links are checked with the programs of all
// ranks (verify.cpp).
#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "foundation/assert.hpp"
#include "problem/collective_facts.hpp"
#include "problem/limits.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/extent.hpp"
#include "verify/elements.hpp"
#include "verify/replay.hpp"

namespace quadrille {
namespace {

constexpr Count sampled = 64;

// Returns the ranks to compare: all ranks up to a limit. Beyond the limit, returns random ranks that are not representatives, at
// least one of each class. The choice is the same in every call.
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

// Returns true if what the collective requires of a rank is the image of what it requires of the representative, and if combining
// the images of operands gives the image of the combined operands. Then it is enough to replay the representatives.
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
  for (const Rank rank : representatives)
    QUADRILLE_ASSERT(rank >= 0 && rank < schedule.problem.ranks && schedule.symmetry->representative_of(rank) == rank);
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

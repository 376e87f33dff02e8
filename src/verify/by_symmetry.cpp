// SPDX-License-Identifier: BSD-3-Clause
// Verifying by a stated symmetry: the programs of representatives are replayed, and those of other ranks compared with their
// images. Why this tells of all ranks, if every program is the image of its representative's:
//
// - The group moves ranks, and with them the blocks that belong to ranks. It takes buffers to buffers, bytes one to one, rounds to
//   themselves, and messages between two ranks to messages between the images of the two.
// - Rules of one program (structure.cpp): regions in their buffers, lengths, peers, ports, order of rounds and stages are those of
//   the representative's program. Whole elements that are reduced (element-cut) are compared beside the bytes.
// - Matching: the send that a receive of rank r waits for is the image of one that r's representative waits for. The group is
//   commutative and only its identity fixes a rank, so both are compared as the sender's representative sees them (replay.cpp).
// - Memory (undefined-read, overlaps, operand-mismatch, length-mismatch): before the first round the memory of a rank is the image
//   of its representative's. It stays so, since in each round both do the same, and the pairs of bytes that a message connects are
//   the images of those that a message between their representatives connects. No rule asks in which order its ends list them.
// - Delivery: what the collective asks of a rank is the image of what it asks of the representative. This holds where all ranks
//   give and get alike and none is the root or the first.
// - Reductions: combining the images of operands gives the image of the combined operands. This holds where operands commute and
//   no element is taken apart (element-torn). Where the order of operands matters (operand-order), all ranks are replayed.
// - Deadlock: where every send meets its receive in the same round and rounds ascend, nothing deadlocks. Consider the first round
//   in which something never completes. Under every policy (schedule/ordering.hpp) an operation waits only for its own rank's
//   operations of earlier rounds, for locals before it, and until the round's sends on a channel with lower ports, or of memory
//   that it overwrites, are posted or packed. All those are, so both ends of each message of the round are posted.
//
// Where ranks sit is no matter of the group: node ports and links are looked at with all programs (verify.cpp).
#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "problem/limits.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/extent.hpp"
#include "verify/elements.hpp"
#include "verify/replay.hpp"

namespace quadrille {
namespace {

constexpr Count sampled = 64;

// All up to a limit, else ranks at random that are no representatives, one of each class at least; the same ones each time.
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

bool asks_alike(const Problem& problem, const std::vector<Program>& programs) {
  switch (problem.collective) {
    case Collective::alltoall:
    case Collective::allgather:
    case Collective::barrier: return true;
    case Collective::reduce_scatter:
    case Collective::allreduce:
      return required_combining(problem) == Combining::any_order && keep_elements(programs, problem.element_bytes);
    default: return false;
  }
}

}  // namespace

void check_by_symmetry(const Schedule& schedule, const VerifyOptions& options, Count port_limit, Report& report,
                       Coverage& coverage) {
  if (auto wrong = check_symmetry(schedule, {})) return report.add(std::move(*wrong));
  const std::vector<Rank>& representatives = schedule.symmetry->representatives();
  check_pieces(schedule.problem, size(representatives), options);
  std::vector<Program> programs;
  Count operations = 0;
  for (const Rank rank : representatives) {
    programs.push_back(schedule.program(rank));
    operations += operation_count(programs.back());
    check_limit(schedule.problem, operations, options.most_operations, "operations to replay");
  }
  check_structure(schedule, programs, port_limit, report);
  if (!report.empty()) return;
  const std::vector<Rank> ranks = compared_ranks(*schedule.symmetry);
  if (auto wrong = check_symmetry(schedule, ranks)) return report.add(std::move(*wrong));
  if (!asks_alike(schedule.problem, programs)) return;
  replay(schedule, *schedule.symmetry, programs, options, report);
  coverage = {schedule.problem.ranks, size(programs), schedule.symmetry->name(), size(ranks)};
}

}  // namespace quadrille

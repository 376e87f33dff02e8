// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a call with counts, as one rank sees them: whether they fit their buffers, and how many bytes they have. Also
// what runs such a call: the edges of an exchange, or the plan for counts that all ranks know.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <vector>

#include "execute/executions/exchanger.hpp"
#include "plan/calls/call_checks.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/edges.hpp"
#include "quadrille/error.hpp"
#include "quadrille/problem.hpp"

namespace quadrille {

class IrregularBlocks {
 public:
  IrregularBlocks(const IrregularCall& call, Rank me, Count ranks)
      : call_(call), facts_(facts_of(call.arguments.collective)), me_(me), p_(ranks) {}

  Rank rank() const { return me_; }
  Count ranks() const { return p_; }
  const CallArguments& arguments() const { return call_.arguments; }
  std::string_view collective() const { return facts_.name; }
  const Blocks& sent() const { return call_.send; }
  const Blocks& received() const { return call_.receive; }

  bool has_pairs() const { return has_pair_counts(facts_); }
  bool is_rooted() const { return quadrille::is_rooted(facts_); }
  bool is_known_to_all() const { return !has_pairs() && !is_rooted(); }  // do all ranks give all counts?
  bool is_root() const { return me_ == arguments().root; }
  // For calls in place: returns true if the block received from a rank replaces the block sent to that rank. If the caller passes
  // send counts, too, blocks are sent from their own places in the buffer, and the result is false.
  bool replaces() const { return arguments().in_place && call_.send.counts.size() == 0; }
  bool is_scatter() const { return facts_.output.holding == Holding::one; }
  // Returns the blocks of the side that has one block per rank. In an alltoallv both sides do; the receiving side is returned.
  const Blocks& blocks() const { return is_scatter() ? call_.send : call_.receive; }

  Bytes bytes(Count elements) const {  // throws Error{too_large}
    const auto product = checked_product(elements, arguments().element_bytes);
    if (!product) [[unlikely]]
      refuse_length(elements);
    return *product;
  }
  // The bytes that this rank contributes to a gatherv or receives from a scatterv. Only the root knows all counts, so each rank
  // computes its own share.
  Bytes own_share() const;

  // These two are local and throw Error{misuse} or Error{too_large}.
  void check_operation() const {  // the root and the operator
    check_root(arguments().root, p_);
    if (arguments().operation) check_element_bytes(*arguments().operation, arguments().element_bytes);
  }
  // Checks the root, the operator and all blocks that this rank knows. Does not compare them with those of other ranks.
  void check_all() const;

  // Checks the blocks of a side, and passes each to `visit`: its rank, its first element, its number of elements.
  template <class Visit>
  void visit_sent(Visit&& visit) const {
    visit_side(has_pairs() ? "send" : "", call_.send, arguments().in_place, visit);
  }
  template <class Visit>
  void visit_received(Visit&& visit) const {
    visit_side(has_pairs() ? "receive" : "", call_.receive, true, visit);
  }

  // Throws Error{misuse} unless the root's count for `rank` has `share` bytes, which that rank itself sends or receives.
  void compare_share(Rank rank, Bytes share) const;

 private:
  template <class Visit>
  void visit_side(const char* side, const Blocks& blocks, bool is_output, Visit&& visit) const {
    CountedBlocks{.blocks = blocks,
                  .function = facts_.name,
                  .side = side,
                  .length = p_,
                  .peers = "ranks",
                  .buffer = arguments().in_place ? "buffer"
                            : is_output          ? "output"
                                                 : "input",
                  .elements = is_output ? arguments().output_elements : arguments().input_elements,
                  .has_buffer = call_.has_buffers}
        .visit(visit);
  }

  void check_own(std::string_view buffer, Count elements) const;

  [[noreturn]] static void refuse_length(Count elements);

  const IrregularCall& call_;
  const CollectiveFacts& facts_;
  const Rank me_;
  const Count p_;
};

// What one rank sends and receives in an alltoallv, gatherv or scatterv, as edges of an exchange. The lists and the memory behind
// them are kept from call to call, so that a call allocates nothing.
class IrregularEdges {
 public:
  // Checks the call's arguments and lists its edges. In place, copies what an alltoallv sends. Local. Throws Error{misuse} or
  // Error{too_large}; `function` is the function that the program has called.
  void list(const IrregularBlocks& blocks, std::string_view function);

  const Edges& edges() const { return edges_; }

 private:
  void list_pairs(const IrregularBlocks& blocks, std::string_view function);
  void list_pairs_in_place(const IrregularBlocks& blocks);
  void list_share(const IrregularBlocks& blocks);
  template <bool gathers>
  void list_all(const IrregularBlocks& blocks, std::string_view function);

  EdgeLists lists_;
  Edges edges_;                        // of the lists
  std::vector<std::byte> sent_;        // a copy of what an alltoallv in place sends
  std::vector<Edges::Receive> order_;  // for refuse_overlap
};

// The problem of an allgatherv or a reduce_scatterv. Its memory is kept from call to call.
//
// All ranks know all counts, so either all find the kept plan for these counts, or none does. A plan runs on blocks without gaps.
// Displacements may differ between ranks: a rank with displacements receives the output in other memory, and copies the blocks to
// their places.
class KnownCounts {
 public:
  // Valid until the next call.
  const Problem& problem(const IrregularBlocks& blocks);

 private:
  std::shared_ptr<std::vector<Bytes>> counts_;
  Problem problem_;
};

// The output of a plan on blocks without gaps, until the blocks are copied to their places.
class PackedOutput {
 public:
  // Are the blocks already where the caller wants them?
  static bool is_superfluous(const IrregularBlocks& blocks);

  // Local: checks the output as other calls do. In place, copies this rank's own block. `function`: the function that the program
  // has called.
  void begin(const IrregularBlocks& blocks, std::string_view function);

  std::byte* memory() { return memory_.data(); }
  void unpack() const noexcept;

 private:
  std::vector<std::byte> memory_;
  std::vector<Edges::Receive> blocks_, order_;
};

}  // namespace quadrille

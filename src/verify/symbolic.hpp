// SPDX-License-Identifier: BSD-3-Clause
// Memory of symbols instead of bytes: each byte knows which operands it combines and which byte of the vector it is.
// Runs of bytes that belong together are one piece, so the cost does not depend on how long blocks are.
#pragma once

#include <map>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

// Combinations of ranks' operands, each stored once: a sequence of rank intervals in operand order, sorted where the
// operator commutes. Neighbouring intervals become one, but where a tree is fixed only as that tree joins them.
class Terms {
 public:
  using Term = int;
  using Sequence = std::vector<std::pair<Rank, Rank>>;  // intervals: from a rank to a rank
  static constexpr Term undefined = -1;

  // Holds at most `most_intervals` intervals in all terms together; throws Error{too_large} beyond that.
  Terms(Count ranks, Combining combining, Count most_intervals)
      : ranks_(ranks), combining_(combining), most_intervals_(most_intervals) {}
  Term operands(Rank first, Rank last);                                                             // first o .. o last
  Term combine(Term left, Term right);                                                              // undefined if either is
  bool same_operands(Term a, Term b) const;                                                         // in whatever order
  const Sequence& sequence(Term term) const { return sequences_[static_cast<std::size_t>(term)]; }  // of a defined one
  std::string to_string(Term term) const;

 private:
  Term entered(Sequence sequence);
  static Sequence sorted(Sequence sequence);
  static Sequence merged(const Sequence& sequence);
  static Sequence joined_by_tree(const Sequence& both);

  Count ranks_;
  Combining combining_;
  Count most_intervals_;
  Count interval_count_ = 0;
  std::vector<Sequence> sequences_;
  std::map<Sequence, Term> known_;
  std::map<std::pair<Term, Term>, Term> combined_;
};

struct SymbolRun {
  Bytes length = 0;
  Terms::Term term = Terms::undefined;
  Bytes index = 0;  // of the first byte in the operands' inputs; the following bytes follow there, too
};

using Strip = std::vector<SymbolRun>;  // symbols of a list of regions, in its order

class SymbolicBuffer {
 public:
  void read(Bytes offset, Bytes length, Strip& strip) const;  // appends; undefined where nothing was written
  void write(Bytes offset, const SymbolRun& piece);
  std::size_t piece_count() const { return pieces_.size(); }

 private:
  std::map<Bytes, SymbolRun> pieces_;  // by offset; disjoint, defined ones only
};

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Memory of symbols instead of bytes: each byte knows how operands were combined to it and which byte of the vector it is.
// Runs of bytes that belong together are one piece, so the cost does not depend on how long blocks are.
#pragma once

#include <map>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

// Combinations of ranks' operands. A *term* says exactly what was combined with what: bytes of one term and one index are equal,
// whichever ranks computed them. The *form* of a term is what the laws of the operator leave of it: the result that a collective
// asks for is a form. Two terms of one form may differ in their bits, since sums of floating-point numbers are rounded.
//
// A form is a sequence of rank intervals in operand order, sorted where the operator commutes. Neighbouring intervals become one;
// where a tree is fixed, only those that are neighbours in the tree do.
//
// Terms matter where an element may be put together from several. Elsewhere a form is the only term there is of it: so there are
// fewer of them, and memory is in longer pieces.
//
// The operand of rank r is term r, and its form is form r. They take no memory.
class Terms {
 public:
  using Term = std::int64_t;
  using Form = std::int64_t;
  using Sequence = std::vector<std::pair<Rank, Rank>>;  // intervals: from a rank to a rank
  static constexpr int undefined = -1;                  // term and form of what nothing has written

  // Holds at most `most_held` terms and intervals of forms together; throws Error{too_large} beyond that.
  Terms(Count ranks, Combining combining, bool one_term_a_form, Count most_held)
      : ranks_(ranks), combining_(combining), one_term_a_form_(one_term_a_form), most_held_(most_held) {}
  static Term operand(Rank rank) { return rank; }
  Term combine(Term left, Term right);        // undefined if either is
  Form form_of_ranks(Rank first, Rank last);  // first o .. o last
  Form form(Term term) const { return term < ranks_ ? term : forms_[static_cast<std::size_t>(term - ranks_)]; }
  // The term in which the operand of each rank x stands for that of image(rank, x). Operands commute, and a form has one term.
  Term moved(const Symmetry& symmetry, Rank rank, Term term);
  bool same_operands(Form a, Form b) const;  // in whatever order
  Sequence sequence(Form form) const;        // of a defined one
  std::string to_string(Form form) const;

 private:
  Term new_term(Form form);
  Term term_of(Form form);
  Form entered(Sequence sequence);
  void hold(Count more);
  static Sequence sorted(Sequence sequence);
  static Sequence merged(const Sequence& sequence);
  static Sequence joined_by_tree(const Sequence& both);

  Count ranks_;
  Combining combining_;
  bool one_term_a_form_;
  Count most_held_;
  Count held_ = 0;
  std::vector<Form> forms_;          // by term, operands left out
  std::vector<Sequence> sequences_;  // by form, operands left out
  std::map<Sequence, Form> known_;
  std::map<Form, Term> term_of_form_;  // where a form has one term
  std::map<std::pair<Term, Term>, Term> combined_;
  std::map<std::pair<Rank, Term>, Term> moved_;
};

struct SymbolRun {
  Bytes length = 0;
  Terms::Term term = Terms::undefined;
  Bytes index = 0;  // of the first byte in the operands' inputs; the following bytes follow there, too
};

using Strip = std::vector<SymbolRun>;  // symbols of a list of regions, in its order

// Appends to the last run what goes on in it.
void append(Strip& strip, const SymbolRun& run);

class SymbolicBuffer {
 public:
  void read(Bytes offset, Bytes length, Strip& strip) const;  // appends; undefined where nothing was written
  void write(Bytes offset, const SymbolRun& piece);
  std::size_t piece_count() const { return pieces_.size(); }

 private:
  std::map<Bytes, SymbolRun> pieces_;  // by offset; disjoint, defined ones only
};

}  // namespace quadrille

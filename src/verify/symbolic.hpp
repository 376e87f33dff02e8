// SPDX-License-Identifier: BSD-3-Clause
// Memory that holds symbols instead of bytes. The symbol of a byte says which operands were combined into the byte, in which way,
// and which byte of the vector it is. Consecutive bytes with consecutive symbols are stored as one piece. So the cost does not
// depend on the length of blocks.
#pragma once

#include <map>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

// Combinations of the ranks' operands. A *term* says exactly which operands were combined in which way: two bytes with the same
// term and index are equal, even if different ranks computed them. The *form* of a term keeps only what matters under the laws of
// the operator (commutativity, associativity). A collective requires its result as a form. Two terms of one form may differ in
// their bits, because sums of floating-point numbers are rounded.
//
// A form is a sequence of intervals of ranks in operand order, sorted if the operator commutes. Adjacent intervals are merged. If
// the fixed tree is required, they are merged only if they are siblings in it.
//
// If no schedule could split elements, each form has a single term. Otherwise an element may consist of parts of several
// elements, so different terms of one form are kept apart.
//
// The operand of rank r is term r, and its form is form r. These terms and forms take no memory.
class Terms {
 public:
  using Term = std::int64_t;
  using Form = std::int64_t;
  using Sequence = std::vector<std::pair<Rank, Rank>>;  // intervals of ranks, both ends included
  static constexpr int undefined = -1;                  // term and form of bytes that were never written

  // Throws Error{too_large}, later, if more than `most_held` terms and intervals of forms have to be stored.
  Terms(Count ranks, Combining combining, bool one_term_a_form, Count most_held)
      : ranks_(ranks), combining_(combining), one_term_a_form_(one_term_a_form), most_held_(most_held) {}
  static Term operand(Rank rank) { return rank; }
  Term combine(Term left, Term right);        // undefined if an operand is undefined
  Form form_of_ranks(Rank first, Rank last);  // form of first o .. o last
  Form form(Term term) const { return term < ranks_ ? term : forms_[static_cast<std::size_t>(term - ranks_)]; }
  // Returns the term in which the operand of each rank x is replaced by the operand of image(rank, x). Requires that operands
  // commute and that each form has one term.
  Term moved(const Symmetry& symmetry, Rank rank, Term term);
  bool same_operands(Form a, Form b) const;  // in any order
  Sequence sequence(Form form) const;        // of a form that is not undefined
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
  std::vector<Form> forms_;          // by term - ranks_, since operands are not stored
  std::vector<Sequence> sequences_;  // by form - ranks_, since operands are not stored
  std::map<Sequence, Form> known_;
  std::map<Form, Term> term_of_form_;  // used if each form has one term
  std::map<std::pair<Term, Term>, Term> combined_;
  std::map<std::pair<Rank, Term>, Term> moved_;
};

struct SymbolRun {
  Bytes length = 0;
  Terms::Term term = Terms::undefined;
  Bytes index = 0;  // index of the first byte in the operands' inputs; the next bytes have the next indices
};

using Strip = std::vector<SymbolRun>;  // the symbols of a list of regions, in its order

// Appends a run; extends the last run if the new one continues it.
void append(Strip& strip, const SymbolRun& run);
Bytes length_of(const Strip& strip);

class SymbolicBuffer {
 public:
  void read(Bytes offset, Bytes length, Strip& strip) const;  // appends to the strip; bytes that were never written are undefined
  void write(Bytes offset, const SymbolRun& piece);
  std::size_t piece_count() const { return pieces_.size(); }

 private:
  std::map<Bytes, SymbolRun> pieces_;  // by offset; disjoint, and none is undefined
};

}  // namespace quadrille

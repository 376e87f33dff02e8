// SPDX-License-Identifier: BSD-3-Clause
// Symbolic memory: how operands are combined under each law of the operator, and how bytes are stored as pieces.
#include "verify/symbolic.hpp"

#include <gtest/gtest.h>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

constexpr Count enough = 1000;

Terms terms_of(Combining combining, bool one_term_a_form = true, Count most_held = enough) {
  return {4, combining, one_term_a_form, most_held};
}

TEST(Terms, OperandsAreTheirOwnFormsAndTakeNoMemory) {
  const Terms terms = terms_of(Combining::any_order, true, 0);
  for (Rank rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(terms.form(Terms::operand(rank)), rank);
    EXPECT_EQ(terms.to_string(rank), "rank " + std::to_string(rank));
  }
}

// If operands commute, their order does not matter, and neighbours become one interval.
TEST(Terms, OfACommutativeOperatorAreSorted) {
  Terms terms = terms_of(Combining::any_order);
  const Terms::Term two_zero = terms.combine(2, 0), zero_two = terms.combine(0, 2);
  EXPECT_EQ(terms.form(two_zero), terms.form(zero_two));
  EXPECT_EQ(terms.sequence(terms.form(two_zero)), (Terms::Sequence{{0, 0}, {2, 2}}));
  const Terms::Form all = terms.form(terms.combine(3, terms.combine(1, two_zero)));
  EXPECT_EQ(terms.sequence(all), (Terms::Sequence{{0, 3}}));
  EXPECT_EQ(all, terms.form_of_ranks(0, 3));
  EXPECT_EQ(terms.to_string(all), "rank 0..3");
}

TEST(Terms, OfAnAssociativeOperatorKeepTheirOrder) {
  Terms terms = terms_of(Combining::rank_order);
  EXPECT_EQ(terms.form(terms.combine(terms.combine(0, 1), 2)), terms.form(terms.combine(0, terms.combine(1, 2))));
  const Terms::Form right = terms.form(terms.combine(0, 1)), wrong = terms.form(terms.combine(1, 0));
  EXPECT_NE(right, wrong);
  EXPECT_TRUE(terms.same_operands(right, wrong));
  EXPECT_EQ(right, terms.form_of_ranks(0, 1));
  EXPECT_FALSE(terms.same_operands(right, terms.form_of_ranks(0, 2)));
}

// With a fixed tree only siblings become one interval: (0 o 1) o (2 o 3), but not 1 o 2.
TEST(Terms, OfAFixedTreeJoinSiblingsOnly) {
  Terms terms = terms_of(Combining::fixed_tree);
  const Terms::Term low = terms.combine(0, 1), high = terms.combine(2, 3);
  EXPECT_EQ(terms.form(terms.combine(low, high)), terms.form_of_ranks(0, 3));
  EXPECT_NE(terms.form(terms.combine(terms.combine(low, 2), 3)), terms.form_of_ranks(0, 3));
  EXPECT_EQ(terms.sequence(terms.form(terms.combine(1, 2))), (Terms::Sequence{{1, 1}, {2, 2}}));
}

// An operand that occurs twice is not the same as once.
TEST(Terms, CountOperandsThatOccurTwice) {
  Terms terms = terms_of(Combining::any_order);
  const Terms::Form twice = terms.form(terms.combine(terms.combine(0, 1), 1));
  EXPECT_NE(twice, terms.form_of_ranks(0, 1));
  EXPECT_FALSE(terms.same_operands(twice, terms.form_of_ranks(0, 1)));
}

TEST(Terms, CombinedWithNothingAreUndefined) {
  Terms terms = terms_of(Combining::any_order);
  EXPECT_EQ(terms.combine(0, Terms::undefined), Terms::undefined);
  EXPECT_EQ(terms.combine(Terms::undefined, 0), Terms::undefined);
}

// Where elements may be split, results with other brackets are told apart, although their forms are equal.
TEST(Terms, OfOneFormDifferOnlyIfElementsMayBeSplit) {
  for (const bool one_term_a_form : {true, false}) {
    Terms terms = terms_of(Combining::rank_order, one_term_a_form);
    const Terms::Term left = terms.combine(terms.combine(0, 1), 2), right = terms.combine(0, terms.combine(1, 2));
    EXPECT_EQ(left == right, one_term_a_form);
    EXPECT_EQ(terms.form(left), terms.form(right));
    EXPECT_EQ(terms.combine(terms.combine(0, 1), 2), left) << "computed again, by another rank";
  }
}

TEST(Terms, AreHeldUpToALimit) {
  Terms terms = terms_of(Combining::rank_order, true, 8);
  const auto combine_many = [&] {
    Terms::Term sum = 0;
    for (int i = 0; i < 100; ++i) sum = terms.combine(sum, 0);
  };
  EXPECT_THROW(combine_many(), Error);
}

bool operator==(const SymbolRun& a, const SymbolRun& b) { return a.length == b.length && a.term == b.term && a.index == b.index; }

TEST(Strips, JoinRunsThatContinue) {
  Strip strip;
  append(strip, {4, 1, 0});
  append(strip, {4, 1, 4});
  EXPECT_EQ(strip.size(), 1u);
  append(strip, {4, 1, 9});  // a byte is left out
  append(strip, {4, 2, 13});
  append(strip, {2, Terms::undefined, 0});
  append(strip, {3, Terms::undefined, 0});
  ASSERT_EQ(strip.size(), 4u);
  EXPECT_EQ(strip[0].length, 8);
  EXPECT_EQ(strip[3].length, 5) << "nothing continues nothing";
  EXPECT_EQ(length_of(strip), 21);
}

Strip read(const SymbolicBuffer& buffer, Bytes offset, Bytes length) {
  Strip strip;
  buffer.read(offset, length, strip);
  return strip;
}

TEST(SymbolicBuffer, IsUndefinedUntilItIsWritten) {
  SymbolicBuffer buffer;
  ASSERT_EQ(read(buffer, 3, 5).size(), 1u);
  EXPECT_EQ(read(buffer, 3, 5)[0].term, Terms::undefined);
  EXPECT_EQ(length_of(read(buffer, 3, 5)), 5);
  EXPECT_EQ(buffer.piece_count(), 0u);
  EXPECT_TRUE(read(buffer, 3, 0).empty());
}

// Writing into the middle of a piece leaves its two ends.
TEST(SymbolicBuffer, CutsThePiecesThatAreOverwritten) {
  SymbolicBuffer buffer;
  buffer.write(0, {10, 1, 100});
  buffer.write(4, {2, 2, 0});
  const Strip all = read(buffer, 0, 10);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(all[0] == (SymbolRun{4, 1, 100}));
  EXPECT_TRUE(all[1] == (SymbolRun{2, 2, 0}));
  EXPECT_TRUE(all[2] == (SymbolRun{4, 1, 106})) << "the end keeps its indices";
  const Strip part = read(buffer, 3, 4);
  ASSERT_EQ(part.size(), 3u);
  EXPECT_TRUE(part[0] == (SymbolRun{1, 1, 103}));
  EXPECT_TRUE(part[2] == (SymbolRun{1, 1, 106}));
}

TEST(SymbolicBuffer, JoinsPiecesThatContinue) {
  SymbolicBuffer buffer;
  buffer.write(0, {4, 1, 0});
  buffer.write(4, {4, 1, 4});
  EXPECT_EQ(buffer.piece_count(), 1u);
  buffer.write(8, {4, 1, 0});
  EXPECT_EQ(buffer.piece_count(), 2u) << "the same bytes again";
}

TEST(SymbolicBuffer, ForgetsWhatIsOverwrittenByNothing) {
  SymbolicBuffer buffer;
  buffer.write(0, {10, 1, 0});
  buffer.write(0, {10, Terms::undefined, 0});
  EXPECT_EQ(buffer.piece_count(), 0u);
  EXPECT_EQ(read(buffer, 0, 10).at(0).term, Terms::undefined);
}

}  // namespace
}  // namespace quadrille

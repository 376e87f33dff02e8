// SPDX-License-Identifier: BSD-3-Clause
// Operators whose results can be represented in many ways, as rounded floating-point sums are, and data for them. A number is
// stored as two shares, one in each half of an element. Which shares a result has depends on the bits of both operands and on their
// order. So two results with the same value that were combined in different orders have different bits. Mixing halves of two
// results, or exchanging the halves, gives a wrong value.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <string>

#include "quadrille/interpreter.hpp"
#include "tune/race/probe_data.hpp"

namespace quadrille::testing {

// A whole number of one word, stored in two shares.
template <class Word>
struct Shared {
  static Word number(Word low, Word high) { return static_cast<Word>(low + 3 * high); }
  static Word low(Word number, Word high) { return static_cast<Word>(number - 3 * high); }
};

// The operator that adds numbers; it commutes.
template <class Word>
struct SharedSum {
  std::array<Word, 2> shares{};
  Word value() const { return Shared<Word>::number(shares[0], shares[1]); }
  static constexpr bool commutative = true;

  static SharedSum combined(const SharedSum& left, const SharedSum& right) {
    const auto split = static_cast<Word>(5 * left.shares[0] + 3 * right.shares[0] + 7 * (left.shares[1] ^ right.shares[1]) + 1);
    return {{Shared<Word>::low(static_cast<Word>(left.value() + right.value()), split), split}};
  }
  void make_valid() {}
};

// The operator that composes functions x -> a x + b, with a odd. It does not commute.
template <class Word>
struct SharedMap {
  std::array<Word, 4> shares{};
  Word factor() const { return Shared<Word>::number(shares[0], shares[2]); }
  Word term() const { return Shared<Word>::number(shares[1], shares[3]); }
  std::array<Word, 2> value() const { return {factor(), term()}; }
  static constexpr bool commutative = false;

  static SharedMap combined(const SharedMap& left, const SharedMap& right) {
    const auto split = static_cast<Word>(5 * left.shares[0] + 3 * right.shares[0] + 7 * (left.shares[3] ^ right.shares[3]) + 1);
    const auto factor = static_cast<Word>(std::uint64_t{left.factor()} * right.factor());
    const auto term = static_cast<Word>(std::uint64_t{left.factor()} * right.term() + left.term());
    const auto other_split = static_cast<Word>(9 * split);
    return {{Shared<Word>::low(factor, split), Shared<Word>::low(term, other_split), split, other_split}};
  }
  void make_valid() {
    if (factor() % 2 == 0) ++shares[0];
  }
};

template <class Element>
void combine_shares(const std::byte* source, std::byte* target, Count elements, OperandOrder order) {
  for (Count i = 0; i < elements; ++i) {
    Element s, t;
    std::memcpy(&s, source + i * static_cast<Count>(sizeof s), sizeof s);
    std::memcpy(&t, target + i * static_cast<Count>(sizeof t), sizeof t);
    const Element result = order == OperandOrder::source_first ? Element::combined(s, t) : Element::combined(t, s);
    std::memcpy(target + i * static_cast<Count>(sizeof t), &result, sizeof result);
  }
}

// Compares values. If the problem demands reproducible results, compares the bits with those of the fixed tree.
template <class Element>
class SharesData : public ProbeData {
 public:
  SharesData(const Problem& problem, Rank rank) : problem_(problem), rank_(rank) {}

  int pass_count() const override { return 4; }  // several passes, because some words of 8 bits commute by chance

  void fill_input(int pass, std::byte* input) const override {
    for (Count i = 0; i < input_bytes(problem_, rank_) / size; ++i) put(operand(pass, rank_, i), input + i * size);
  }

  void spoil_output(int pass, std::byte* output) const override {
    for_each_expected(pass, [&](Bytes at, const Element& right) {
      put(right, output + at);
      for (Bytes i = 0; i < size; ++i) output[at + i] = ~output[at + i];
    });
  }

  std::string compare_output(int pass, const std::byte* output) const override {
    std::string wrong;
    for_each_expected(pass, [&](Bytes at, const Element& right) {
      Element found;
      std::memcpy(&found, output + at, sizeof found);
      const bool same = problem_.reproducible ? found.shares == right.shares : found.value() == right.value();
      if (!same && wrong.empty())
        wrong = "rank " + std::to_string(rank_) + ": element " + std::to_string(at / size) + " of the output is wrong";
    });
    return wrong;
  }

 private:
  static constexpr Bytes size = sizeof(Element);

  static void put(const Element& element, std::byte* place) { std::memcpy(place, &element, sizeof element); }

  static Element operand(int pass, Rank rank, Count index) {
    std::minstd_rand random(static_cast<std::uint32_t>(1'000'000 * pass + 1000 * rank + index + 1));
    random.discard(3);
    Element element;
    for (auto& share : element.shares) share = static_cast<std::decay_t<decltype(share)>>(random() >> 8);
    element.make_valid();
    return element;
  }

  Element combination(int pass, Rank first, Rank last, Count index) const {
    if (first == last) return operand(pass, first, index);
    const Rank split = problem_.reproducible ? tree_split(first, last) : last;
    return Element::combined(combination(pass, first, split - 1, index), combination(pass, split, last, index));
  }

  template <class Use>
  void for_each_expected(int pass, Use&& use) const {
    for (const ExpectedPiece& piece : expected_output(problem_, rank_))
      for (Bytes i = 0; i < piece.length; i += size)
        use(piece.offset + i, combination(pass, piece.first, piece.last, (piece.input_offset + i) / size));
  }

  Problem problem_;
  Rank rank_;
};

// An operator of the problem's kind, with its data; none if elements are too small for it.
struct Shares {
  std::shared_ptr<const Operator> operation;
  std::unique_ptr<ProbeData> (*data)(const Problem&, Rank) = nullptr;
};

template <class Element>
Shares shares_of(const char* name) {
  return {std::make_shared<const Operator>(
              Operator{name, "shares", sizeof(Element), Element::commutative, combine_shares<Element>, {}}),
          [](const Problem& problem, Rank rank) -> std::unique_ptr<ProbeData> {
            return std::make_unique<SharesData<Element>>(problem, rank);
          }};
}

inline Shares shares_for(const Problem& problem) {
  switch (problem.element_bytes) {
    case 4:
      return problem.commutative ? shares_of<SharedSum<std::uint16_t>>("shared sum")
                                 : shares_of<SharedMap<std::uint8_t>>("shared map");
    case 8:
      return problem.commutative ? shares_of<SharedSum<std::uint32_t>>("shared sum")
                                 : shares_of<SharedMap<std::uint16_t>>("shared map");
    case 16:
      return problem.commutative ? shares_of<SharedSum<std::uint64_t>>("shared sum")
                                 : shares_of<SharedMap<std::uint32_t>>("shared map");
    default: return {};
  }
}

}  // namespace quadrille::testing

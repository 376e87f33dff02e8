// SPDX-License-Identifier: BSD-3-Clause
// Operands for reductions, different for each rank, element and pass, and such that every order of combining them gives
// the same bits: small whole numbers as floating-point ones, powers of two to multiply, matrices of a finite group.
#pragma once

#include <vector>

#include "plan/probe_data.hpp"

namespace quadrille {

class Operands : public ProbeData {
 public:
  // Throws Error{misuse} for operators that are not built in.
  Operands(const Problem& problem, Rank rank, std::shared_ptr<const Operator> operation);

  int pass_count() const override { return 2; }
  void fill_input(int pass, std::byte* input) const override;
  void spoil_output(int pass, std::byte* output) const override;
  std::string compare_output(int pass, const std::byte* output) const override;

  // Writes one element, made of a hash.
  using Write = void (*)(std::uint64_t hash, Count ranks, std::byte* element);
  // Equal as numbers: products of zeros differ in the sign, and pairs have padding.
  using Same = bool (*)(const std::byte* a, const std::byte* b, Bytes element_bytes);

 private:
  // Elements [first, first + elements) of a rank's input.
  void fill(int pass, Rank rank, Count first, Count elements, std::byte* operands) const;
  // Calls use(piece, offset in the piece, what should be there, bytes of it) for the output, piece by piece, until it returns
  // false.
  template <class Use>
  void for_each_expected(int pass, Use&& use) const;

  Problem problem_;
  Rank rank_;
  std::shared_ptr<const Operator> operation_;
  Write write_ = nullptr;
  Same same_ = nullptr;
};

}  // namespace quadrille

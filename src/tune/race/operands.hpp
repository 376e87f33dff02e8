// SPDX-License-Identifier: BSD-3-Clause
// Probe data for reductions. Operands differ for each rank, element and pass. They are chosen so that every order of combining them
// gives the same bits: small whole numbers in floating-point types, powers of two as factors, matrices of a finite group.
#pragma once

#include <vector>

#include "tune/race/probe_data.hpp"

namespace quadrille {

class Operands : public ProbeData {
 public:
  // Throws Error{misuse} if the operator is not built in.
  Operands(const Problem& problem, Rank rank, std::shared_ptr<const Operator> operation);

  int pass_count() const override { return 2; }
  void fill_input(int pass, std::byte* input) const override;
  void spoil_output(int pass, std::byte* output) const override;
  std::string compare_output(int pass, const std::byte* output) const override;

  // Writes one element, derived from a hash.
  using Write = void (*)(std::uint64_t hash, Count ranks, std::byte* element);
  // Compares elements as numbers: a zero may have either sign, and the padding of pairs is ignored.
  using Same = bool (*)(const std::byte* a, const std::byte* b, Bytes element_bytes);

 private:
  // Writes elements [first, first + elements) of a rank's input.
  void fill(int pass, Rank rank, Count first, Count elements, std::byte* operands) const;
  // Calls use(index of the piece, offset in it, pointer to the expected bytes, their number) for each part of the output.
  // Stops when `use` returns false.
  template <class Use>
  void for_each_expected(int pass, Use&& use) const;

  Problem problem_;
  Rank rank_;
  std::shared_ptr<const Operator> operation_;
  Write write_ = nullptr;
  Same same_ = nullptr;
};

}  // namespace quadrille

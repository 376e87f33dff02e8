// SPDX-License-Identifier: BSD-3-Clause
// Data to check a collective with: known inputs for each rank, and a check of the outputs. A collective is right if the outputs
// of every pass are right. Collectives that move bytes have labels, reductions have operands.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "quadrille/operator.hpp"

namespace quadrille {

class ProbeData {
 public:
  virtual ~ProbeData() = default;
  virtual int pass_count() const = 0;
  virtual void fill_input(int pass, std::byte* input) const = 0;
  virtual void spoil_output(int pass, std::byte* output) const = 0;  // writes data that is wrong everywhere
  // Describes the first error; empty if there is none.
  virtual std::string compare_output(int pass, const std::byte* output) const = 0;
};

// Data in which every byte identifies its origin. The label of a byte is its position in the concatenated inputs of all ranks, so
// no two bytes have the same label. In one pass, a byte can hold eight bits of its label, so checking takes as many passes as a
// label has bytes.
class Labels : public ProbeData {
 public:
  Labels(const Problem& problem, Rank rank);

  int pass_count() const override { return pass_count_; }
  void fill_input(int pass, std::byte* input) const override;
  void spoil_output(int pass, std::byte* output) const override;
  std::string compare_output(int pass, const std::byte* output) const override;

 private:
  std::byte label(int pass, Rank rank, Bytes offset) const;

  Problem problem_;
  Rank rank_;
  Bytes longest_input_ = 0;  // the longest input of any rank
  int pass_count_ = 1;
  std::vector<ExpectedPiece> expected_;
};

// Data for reductions. Operands differ for each rank, element and pass, and every order of combining them gives the same bits:
// they are small whole numbers in floating-point types, powers of two as factors, or matrices of a finite group.
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

// Returns labels if the collective moves bytes, operands if it combines them. Throws Error{misuse} if
// it combines and `operation` is missing or not built in.
std::unique_ptr<ProbeData> probe_data(const Problem& problem, Rank rank, std::shared_ptr<const Operator> operation);

}  // namespace quadrille

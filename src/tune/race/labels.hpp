// SPDX-License-Identifier: BSD-3-Clause
// Probe data in which every byte identifies its origin. The label of a byte is its position in the concatenated inputs of
// all ranks, so no two bytes have the same label. A byte can hold eight bits of its label. So checking takes as many
// passes as a label has bytes.
#pragma once

#include "tune/race/probe_data.hpp"

namespace quadrille {

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
  Bytes longest_input_ = 0;  // over all ranks
  int pass_count_ = 1;
  std::vector<ExpectedPiece> expected_;
};

}  // namespace quadrille

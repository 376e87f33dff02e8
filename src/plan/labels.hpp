// SPDX-License-Identifier: BSD-3-Clause
// Data whose every byte says where it comes from. The label of a byte is its position among the inputs of all ranks, so
// labels are injective: (source, destination, byte). A byte holds eight bits of its label; as many passes as a label has
// bytes carry it whole.
#pragma once

#include "plan/probe_data.hpp"

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
  Bytes longest_input_ = 0;  // of any rank
  int pass_count_ = 1;
  std::vector<ExpectedPiece> expected_;
};

}  // namespace quadrille

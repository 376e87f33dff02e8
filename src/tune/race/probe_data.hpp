// SPDX-License-Identifier: BSD-3-Clause
// Data to check a collective with: known inputs for each rank, and a check of the outputs. The data is right if the
// outputs of every pass are right.
#pragma once

#include <memory>
#include <string>

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

// Returns labels (labels.hpp) if the collective moves bytes, operands (operands.hpp) if it combines them. Throws Error{misuse} if
// it combines and `operation` is missing or not built in.
std::unique_ptr<ProbeData> probe_data(const Problem& problem, Rank rank, std::shared_ptr<const Operator> operation);

}  // namespace quadrille

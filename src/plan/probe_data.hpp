// SPDX-License-Identifier: BSD-3-Clause
// Data that shows whether a collective did what it should: known inputs of one rank, and a check of its output. A run is right
// if it is right in every pass.
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
  virtual void spoil_output(int pass, std::byte* output) const = 0;                 // wrong everywhere
  virtual std::string compare_output(int pass, const std::byte* output) const = 0;  // what is wrong, empty if nothing
};

// Labels where bytes are moved, operands where they are combined. Throws Error{misuse} if `operation` is missing, or is not built
// in.
std::unique_ptr<ProbeData> probe_data(const Problem& problem, Rank rank, std::shared_ptr<const Operator> operation);

}  // namespace quadrille

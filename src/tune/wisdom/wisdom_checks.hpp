// SPDX-License-Identifier: BSD-3-Clause
// The constraints on the contents of a wisdom file. They are checked when a line is read and when wisdom is added, so every file
// that is written can be read.
#pragma once

#include <cstdint>
#include <string_view>

#include "quadrille/result.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille {

// Each returns success, or says what is wrong.
Result<> check_wisdom(const Situation& situation);
Result<> check_wisdom(const WisdomRecord& record);
Result<> check_wisdom(const ExecutorFit& fit);
Result<> check_wisdom(const VendorFit& fit);

// A hash of the table of algorithms: their names, parameters and the parameters' permitted values. If two tables have the same
// hash, a text such as "bruck:radix=4" means the same in both.
std::uint64_t table_fingerprint();

}  // namespace quadrille

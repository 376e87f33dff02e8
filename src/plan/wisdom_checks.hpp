// SPDX-License-Identifier: BSD-3-Clause
// What a file of wisdom can hold. Its reader asks with each line, and whoever adds wisdom is asked the same, so that what is
// written can be read.
#pragma once

#include <cstdint>
#include <string_view>

#include "quadrille/result.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille {

// Nothing if all is well, else what is wrong.
Result<> check_wisdom(const Situation& situation);
Result<> check_wisdom(const WisdomRecord& record);
Result<> check_wisdom(const ExecutorFit& fit);
Result<> check_wisdom(const VendorFit& fit);

// FNV-1a: the same in every process, whatever library it is linked with.
std::uint64_t text_hash(std::string_view text, std::uint64_t hash = 0xCBF29CE484222325u);

// Of the algorithms, their parameters and what these may be. A name such as "bruck:radix=4" means the same where it is the same.
std::uint64_t table_fingerprint();

}  // namespace quadrille

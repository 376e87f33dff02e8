// SPDX-License-Identifier: BSD-3-Clause
// Regions in sentences. The text form writes buffer[offset:length], and programs buffer[begin:end]; words cannot be mistaken.
#pragma once

#include <string>

#include "quadrille/schedule.hpp"

namespace quadrille {

// Returns "8 bytes from output[8], 4 times, 16 bytes apart". Levels are told from the inside out.
std::string in_words(const Region& region);

}  // namespace quadrille

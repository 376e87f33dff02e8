// SPDX-License-Identifier: BSD-3-Clause
// Reads the log of a rank that has ended, was killed or still runs, and packs it.
#pragma once

#include <string>

#include "recording/rank_file.hpp"

namespace quadrille::recording {

// Throws Error{environment} if the log cannot be read, Error{malformed} if it is damaged; the sentence begins with "it" or "its".
RankContents read_log(const std::string& folder, Rank rank);

}  // namespace quadrille::recording

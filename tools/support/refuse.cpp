// SPDX-License-Identifier: BSD-3-Clause
#include "support/refuse.hpp"

#include <fmt/format.h>

#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"

namespace quadrille::command {

void refuse(const std::string& sentence) { throw Error(ErrorCode::misuse, sentence); }

void refuse_unknown(std::string_view what, std::string_view word, const std::vector<std::string>& known) {
  refuse(fmt::format("there is no {} '{}'; {}", what, word, guess_or_list(word, known)));
}

}  // namespace quadrille::command

// SPDX-License-Identifier: BSD-3-Clause
#include "reports/result_file.hpp"

#include <fmt/format.h>

namespace quadrille::command {

void demand(bool holds, const char* what) {
  if (!holds) throw Error(ErrorCode::malformed, what);
}

void refuse_result(const std::string& file, std::string_view commands, const std::string& reason) {
  throw Error(ErrorCode::malformed, fmt::format("{} is not a result of {} of this version: {}", file, commands, reason));
}

std::string reason_of(const Json::exception& error) {
  const std::string what = error.what();  // "[json.exception.out_of_range.403] key 'sizes' not found"
  const std::size_t end = what.find("] ");
  return end == std::string::npos ? what : what.substr(end + 2);
}

}  // namespace quadrille::command

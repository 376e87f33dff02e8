// SPDX-License-Identifier: BSD-3-Clause
// The destination of results: stdout, or a file that appears complete or not at all.
#pragma once

#include <fstream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "foundation/system/file_replacement.hpp"

namespace quadrille::command {

// Writes to stdout, which is "-", or replaces a file in one step; FileReplacement says what links, pipes, devices and /dev/fd/3
// mean. Throws Error{environment} as early as possible if the target cannot be written.
class Output {
 public:
  explicit Output(const std::optional<std::string>& file = {});
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  std::ostream& stream();  // for long results; opens the file
  void flush();            // throws if something was not written
  void finish();
  void finish(std::string_view text);

 private:
  [[noreturn]] void fail(const std::string& reason) const;
  void check(const Result<>& done) const;

  std::string target_;  // empty: stdout
  FileReplacement replacement_;
  std::ofstream file_;
};

}  // namespace quadrille::command

// SPDX-License-Identifier: BSD-3-Clause
// Where results go: stdout, or a file that appears whole or not at all.
#pragma once

#include <sys/types.h>

#include <fstream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace quadrille::command {

// A file is written beside its target and renamed by `finish`; what is not a plain file (/dev/null, a pipe) is written
// directly. Throws Error{environment} if the place cannot be written to, as early as it can be known.
class Output {
 public:
  explicit Output(const std::optional<std::string>& file = {});
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  std::ostream& stream();  // for long results; opens the file
  void flush();            // throws if something was not written
  void finish();
  void finish(std::string_view text);

 private:
  [[noreturn]] void fail(int error) const;

  std::string target_;     // empty: stdout
  std::string temporary_;  // empty: not open, or written directly
  bool direct_ = false;
  mode_t mode_ = 0;
  std::ofstream file_;
};

}  // namespace quadrille::command

// SPDX-License-Identifier: BSD-3-Clause
// Where results go: stdout, or a file that appears whole or not at all.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace quadrille::command {

// A file is written without a name, in its target's folder, and `finish` gives it the name, so that a killed writer leaves nothing.
// Where the target exists, it is given a temporary name and renamed, two system calls; who is killed between them leaves the whole
// file under the temporary name. File systems without files that have no name (NFS, for one) take the temporary name from the
// beginning, and a killed writer leaves it behind: `.quadrille-` and six letters. What is not a plain file (/dev/null, a pipe) is
// written directly, and a link is followed, as a shell's `>` does. "-" is stdout, and /dev/stdout, /dev/fd/3 and the like are the
// open file itself, at its present position; that of another process (/proc/PID/fd/N) is appended to. Throws Error{environment} if
// the place cannot be written to, as early as it can be known.
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
  void use_open(const std::filesystem::path& file);
  void open_beside();                // the target
  void dress(int descriptor) const;  // gives it the mode and owner of the file that was there
  void give_name();

  std::string target_;     // empty: stdout
  std::string temporary_;  // a name beside the target, to be removed; else empty
  int nameless_ = -1;      // a file without a name
  bool direct_ = false;
  std::optional<int> descriptor_;  // the target is this open file
  mode_t mode_ = 0;
  uid_t owner_ = uid_t(-1);  // of the file that was there; -1: none was
  gid_t group_ = gid_t(-1);
  std::ofstream file_;
};

}  // namespace quadrille::command

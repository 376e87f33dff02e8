// SPDX-License-Identifier: BSD-3-Clause
// The destination of results: stdout, or a file that appears complete or not at all.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace quadrille::command {

// Writes to a file without a name (O_TMPFILE) in the target's folder. `finish` gives it its name, so a killed writer leaves
// nothing. If the target exists, the new file gets a temporary name and is then renamed; a process killed between these two system
// calls leaves the complete file under the temporary name. File systems without nameless files (such as NFS) use the temporary name
// from the beginning, and a killed writer leaves `.quadrille-` and six letters behind. A target that is not a plain file
// (/dev/null, a pipe) is written directly, and links are followed, as with a shell's `>`. "-" is stdout. /dev/stdout, /dev/fd/3 and
// the like mean the open file itself, at its present position; an open file of another process (/proc/PID/fd/N) is appended to.
// Throws Error{environment} as early as possible if the target cannot be written.
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
  void open_beside();                // opens the file to write to, in the target's folder
  void dress(int descriptor) const;  // gives it the mode and owner of the file that it replaces
  void give_name();

  std::string target_;     // empty: stdout
  std::string temporary_;  // the temporary file's name, which must be removed; empty: none
  int nameless_ = -1;      // descriptor of a file without a name; -1: none
  bool direct_ = false;
  std::optional<int> descriptor_;  // set if the target is this open file
  mode_t mode_ = 0;
  uid_t owner_ = uid_t(-1);  // owner of the file that is replaced; -1: there was none
  gid_t group_ = gid_t(-1);
  std::ofstream file_;
};

}  // namespace quadrille::command

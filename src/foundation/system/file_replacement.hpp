// SPDX-License-Identifier: BSD-3-Clause
// Gives a file a new content in one step: other processes see the old content or the new one, never a part.
//
//   if (const Result<> written = replace_file("report.txt", text); !written) complain(written.error());
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "foundation/system/files.hpp"
#include "quadrille/result.hpp"

namespace quadrille {

// The new content is a file without a name (O_TMPFILE) in the target's folder. `finish` gives the file its name, so a killed
// writer leaves no file. If the target exists, the new file gets a temporary name and is then renamed; a process killed between
// these two system calls leaves the complete file under the temporary name. File systems without nameless files (such as NFS) use
// the temporary name from the beginning, and a killed writer leaves `.quadrille-` and eight letters behind. Temporary names are
// not predictable, and a temporary name never opens an existing file. So no file or link that another user has made in the folder
// is written to.
//
// What the name of the target may lead to:
// - nothing, or a regular file: it is replaced, if it may be written. The new file keeps the mode without the special bits (such
//   as set-user-ID), and the owner where the system allows it.
// - a symbolic link: it is followed, as by a shell's `>`, if it belongs to this user or to root.
// - a device or a pipe: it is written directly. A pipe of another user is refused.
// - an open file of this process (/dev/stdout, /dev/fd/3 and the like): it is written at its present position. An open file of
//   another process (/proc/PID/fd/N) is appended to.
//
// Each function returns success or the reason for its failure.
class FileReplacement {
 public:
  FileReplacement() = default;
  ~FileReplacement();  // leaves the target as it is, unless `finish` has succeeded
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  // Finds out what `file` leads to, and whether it can be written. Makes no file.
  Result<> aim_at(const std::string& file);
  Result<> open();
  int descriptor() const { return file_.number(); }  // the descriptor of the file to write to, once it is open
  Result<> finish();

  // Opens the file, writes the text, brings it to the disk, and finishes.
  Result<> write(std::string_view text);

  // The folder and the name to which the links lead.
  int folder() const { return folder_.number(); }
  const std::string& name() const { return name_; }

 private:
  enum class Target { replaced, special, own_open, open_elsewhere };

  Result<> aim_at_open_file(bool is_own);
  Result<> aim_at_existing(const struct stat& status);
  Result<> check_folder() const;
  Result<> open_beside();
  template <class Make>
  Result<> make_temporary(Make make);
  void dress() const;
  Result<> link_nameless();

  Descriptor folder_;  // opened with O_PATH: it stays the same folder even if its name changes
  std::string name_;
  Target target_ = Target::replaced;
  int own_open_ = -1;
  std::optional<mode_t> mode_;  // mode, owner and group of the file that is replaced; nothing: there is none
  uid_t owner_ = uid_t(-1);
  gid_t group_ = gid_t(-1);
  Descriptor file_;
  std::string temporary_;  // a name in the folder, which must be removed; empty: none
};

// Replaces `file` by `text` in one call.
Result<> replace_file(const std::string& file, std::string_view text);

}  // namespace quadrille

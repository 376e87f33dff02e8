// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/system/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

Descriptor open_regular_file(const std::string& file, const std::string& label) {
  // O_NONBLOCK: opening a pipe must not wait for a writer. O_NOCTTY: opening a terminal must not make it this process's own.
  Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (opened.number() < 0 || ::fstat(opened.number(), &status) != 0) return Descriptor();
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::malformed, fmt::format("{} is not a regular file", label));
  return opened;
}

FileText read_regular_file(const std::string& file, std::size_t most_mebibytes, const std::string& label) {
  const Descriptor opened = open_regular_file(file, label);
  if (opened.number() < 0) return {{}, errno};
  FileText read;
  read.error = read_parts(opened.number(), [&](std::string_view part) {
    read.text += part;
    if (read.text.size() > most_mebibytes << 20)
      throw Error(ErrorCode::malformed, fmt::format("{} is longer than {} MiB", label, most_mebibytes));
  });
  return read;
}

void lock_while_alive(int descriptor) {
  struct flock lock = whole_file(F_WRLCK);
  ::fcntl(descriptor, F_SETLK, &lock);
}

bool is_being_written(int descriptor) {
  struct flock lock = whole_file(F_RDLCK);
  return ::fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace quadrille

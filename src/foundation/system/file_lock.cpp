// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/system/file_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace quadrille {
namespace {

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

void lock_while_alive(int descriptor) {
  struct flock lock = whole_file(F_WRLCK);
  ::fcntl(descriptor, F_SETLK, &lock);
}

bool is_being_written(int descriptor) {
  struct flock lock = whole_file(F_RDLCK);
  return ::fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/system/read_output.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>

#include <thread>

namespace quadrille {

namespace {

bool has_unread(int descriptor) {
  int bytes = 0;
  return ::ioctl(descriptor, FIONREAD, &bytes) == 0 && bytes > 0;
}

bool is_pipe(int descriptor) {
  struct stat status;
  return ::fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode);
}

}  // namespace

void wait_until_read(int descriptor, std::chrono::milliseconds limit) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + limit;
  while (is_pipe(descriptor) && has_unread(descriptor) && Clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace quadrille

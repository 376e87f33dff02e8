// SPDX-License-Identifier: BSD-3-Clause
#include "execute/fork_mark.hpp"

#include <pthread.h>

namespace quadrille {

std::atomic<unsigned> ForkMark::forks_{0};

ForkMark::ForkMark() : made_(forks_.load(std::memory_order_relaxed)) {
  [[maybe_unused]] static const int registered =
      ::pthread_atfork(nullptr, nullptr, [] { forks_.fetch_add(1, std::memory_order_relaxed); });
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "plan/timing.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace quadrille {

std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::shared_ptr<std::byte> buffer(Communicator& communicator, Bytes bytes, bool shared) {
  const Bytes length = ceil_divide(std::max<Bytes>(bytes, 1), 4096) * 4096;
  std::shared_ptr<std::byte> memory;
  try {
    if (shared)
      memory = communicator.allocate(length);
    else
      memory = {static_cast<std::byte*>(std::aligned_alloc(4096, static_cast<std::size_t>(length))), std::free};
  } catch (const std::bad_alloc&) {}
  if (!memory) throw Error(ErrorCode::too_large, fmt::format("there is no memory for a buffer of {} bytes", bytes));
  return memory;
}

double span_seconds(Communicator& communicator, Interval mine) {
  const auto all = gathered(communicator, mine);
  const auto first =
      std::min_element(all.begin(), all.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; })->start;
  const auto last =
      std::max_element(all.begin(), all.end(), [](const Interval& a, const Interval& b) { return a.end < b.end; })->end;
  return static_cast<double>(last - first) * 1e-9;
}

double batch_seconds(Communicator& communicator, Plan& plan, Count runs, const std::byte* input, std::byte* output) {
  Interval mine{};
  communicator.barrier();
  mine.start = now_ns();
  for (Count run = 0; run < runs; ++run) plan.execute(input, output);
  mine.end = now_ns();
  return span_seconds(communicator, mine) / static_cast<double>(runs);
}

}  // namespace quadrille

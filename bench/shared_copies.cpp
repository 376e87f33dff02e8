// SPDX-License-Identifier: BSD-3-Clause
// Measures how long the machine needs to copy the bytes of an alltoall: each rank copies p blocks of its own, all ranks at once,
// from shared memory to shared memory, with ordinary or streaming stores, whichever are faster. This is a bound for every alltoall.
// Usage: shared_copies BYTES..., under any launcher. Rank 0 prints a JSON object with the seconds from the earliest start to the
// latest end of a rank.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "execute/executors.hpp"
#include "execute/script/copies.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/groups.hpp"

namespace quadrille {

using Clock = std::chrono::steady_clock;

double seconds_of_copies(Communicator& group, Bytes block, bool streams) {
  const Count p = group.size();
  const auto input = group.allocate(p * block), output = group.allocate(p * block);
  std::memset(input.get(), 1, static_cast<std::size_t>(p * block));
  const auto runs = std::clamp<Count>(20'000'000 / (p * p * block), 1, 1000);
  double least = 1e9;
  for (int repetition = 0; repetition < 7; ++repetition) {  // the first repetition has cold caches
    group.barrier();
    const auto start = Clock::now();
    for (Count run = 0; run < runs; ++run)
      for (Count i = 0; i < p; ++i) {
        std::byte* target = output.get() + i * block;
        const std::byte* source = input.get() + i * block;
        if (streams)
          copy_streaming(target, source, static_cast<std::size_t>(block));
        else
          std::memcpy(target, source, static_cast<std::size_t>(block));
      }
    const std::pair<Clock::rep, Clock::rep> mine{start.time_since_epoch().count(), Clock::now().time_since_epoch().count()};
    std::vector<std::pair<Clock::rep, Clock::rep>> all(static_cast<std::size_t>(p));
    group.all_gather(&mine, all.data(), sizeof mine);
    Clock::rep first = mine.first, last = mine.second;
    for (const auto& [starts, ends] : all) first = std::min(first, starts), last = std::max(last, ends);
    least = std::min(least, std::chrono::duration<double>(Clock::duration(last - first)).count() / static_cast<double>(runs));
  }
  return least;
}

}  // namespace quadrille

int main(int count, char** arguments) {
  using namespace quadrille;
  const std::unique_ptr<Communicator> world = launched_world();
  const Transport& preferred = *world->transport().offered().front();
  if (row_of(preferred.executor()).memory == SharedBy::nobody) {
    fmt::print(stderr, "{}\n", preferred.no_sharing());
    world->abort(2);
  }
  std::string sizes;
  for (int i = 1; i < count; ++i) {
    const Bytes block = std::atol(arguments[i]);
    const double seconds = std::min(seconds_of_copies(*world, block, false), seconds_of_copies(*world, block, true));
    sizes += fmt::format("{}{{\"block_bytes\": {}, \"copies_s\": {}}}", i > 1 ? ", " : "", block, seconds);
  }
  if (world->rank() == 0)
    std::printf("{\"ranks\": %lld, \"copies\": [%s]}\n", static_cast<long long>(world->size()), sizes.c_str());
}

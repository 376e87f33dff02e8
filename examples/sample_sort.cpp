// SPDX-License-Identifier: BSD-3-Clause
// Keys sorted across ranks: sample sort with alltoallv. It runs on four threads, or as it is launched: mpirun -n 6 ./sample_sort
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "quadrille/quadrille.hpp"

using namespace quadrille;
using Key = std::uint64_t;

// Each rank gives at least one key and gets a part of all keys, sorted. No key of a rank is less than one of a lower rank.
std::vector<Key> sorted_across(Communicator& ranks, std::vector<Key> keys) {
  const auto p = static_cast<std::size_t>(ranks.size());
  std::ranges::sort(keys);

  // p keys of each rank, at regular distances, tell how all keys are distributed.
  std::vector<Key> samples(p), all_samples(p * p);
  for (std::size_t i = 0; i < p; ++i) samples[i] = keys[i * keys.size() / p];
  allgather(ranks, samples, all_samples);
  std::ranges::sort(all_samples);

  // Rank r gets the keys from sample p r up to sample p (r + 1).
  std::vector<Count> send_counts(p), receive_counts(p);
  auto first = keys.begin();
  for (std::size_t rank = 0; rank < p; ++rank) {
    const auto last = rank + 1 < p ? std::lower_bound(first, keys.end(), all_samples[p * (rank + 1)]) : keys.end();
    send_counts[rank] = last - first;
    first = last;
  }
  alltoall(ranks, send_counts, receive_counts);

  std::vector<Key> received(static_cast<std::size_t>(std::reduce(receive_counts.begin(), receive_counts.end())));
  alltoallv(ranks, keys, send_counts, received, receive_counts);
  std::ranges::sort(received);
  return received;
}

bool sorts(Communicator& ranks) {
  std::mt19937_64 random(static_cast<std::uint64_t>(ranks.rank()));
  std::vector<Key> keys(static_cast<std::size_t>(1000 + 100 * ranks.rank()));
  for (Key& key : keys) key = random() % 5000;

  const std::vector<Key> mine = sorted_across(ranks, keys);

  Key before = mine.empty() ? 0 : mine.back();
  exscan(ranks, in_place, std::span(&before, 1), op::max);  // the greatest key of all lower ranks
  const bool follows = ranks.rank() == 0 || mine.empty() || before <= mine.front();
  const bool sorted = allreduce(ranks, follows && std::ranges::is_sorted(mine), op::land);
  const auto total = [&](const std::vector<Key>& all) { return allreduce(ranks, std::reduce(all.begin(), all.end()), op::sum); };
  const bool same = total(mine) == total(keys) && allreduce(ranks, mine.size(), op::sum) == allreduce(ranks, keys.size(), op::sum);
  if (ranks.rank() == 0)
    std::printf("keys among %d ranks: %s, %s\n", static_cast<int>(ranks.size()), sorted ? "sorted" : "not sorted",
                same ? "and all are there" : "but not all are there");
  return sorted && same;
}

int main() {
  std::atomic<bool> right = true;
  run_launched(4, [&](Communicator& ranks) {
    if (!sorts(ranks)) right = false;
  });
  return right ? 0 : 1;
}

// SPDX-License-Identifier: BSD-3-Clause
// The pairs of buffers of a race, and the size of the last-level caches.
#include "tune/race/buffer_pairs.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <set>

#include "quadrille/error.hpp"
#include "quadrille/groups.hpp"
#include "support/own_folder.hpp"

namespace quadrille {
namespace {

class Caches : public testing::OwnFolder {
 protected:
  void add(int cpu, int number, int level, const std::string& size, const std::string& cores) const {
    const auto folder = place_ / ("cpu" + std::to_string(cpu)) / "cache" / ("index" + std::to_string(number));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "level") << level << '\n';
    std::ofstream(folder / "size") << size << '\n';
    std::ofstream(folder / "shared_cpu_list") << cores << '\n';
  }
  const std::filesystem::path& folder() const { return place_; }
};

TEST_F(Caches, OfTheLastLevelAreAddedOnce) {
  for (const int cpu : {0, 1, 2, 3}) {
    add(cpu, 0, 1, "32K", std::to_string(cpu));
    add(cpu, 1, 2, "1M", std::to_string(cpu));
    add(cpu, 2, 3, "32768K", cpu < 2 ? "0-1" : "2-3");
  }
  EXPECT_EQ(last_level_cache_bytes(folder()), Bytes{64} << 20);
}

TEST_F(Caches, MayEndWithTheSecondLevel) {
  for (const int cpu : {0, 1, 2}) {
    add(cpu, 0, 2, "512K", std::to_string(cpu));
    add(cpu, 1, 1, "32K", std::to_string(cpu));
  }
  EXPECT_EQ(last_level_cache_bytes(folder()), 3 * (Bytes{512} << 10));
}

TEST_F(Caches, AreAssumedWhereNoneIsListed) { EXPECT_EQ(last_level_cache_bytes(folder() / "none"), Bytes{64} << 20); }

TEST(BufferPairs, ExceedTheCachesTogether) {
  run_threads(2, [](Communicator& communicator) {
    const Bytes input = 100'000, output = 5;
    BufferPairs pairs(communicator, input, output, false, true);
    const Bytes pages_of_both_ranks = 2 * (25 * 4096 + 4096);
    EXPECT_GE((pairs.count() - 1) * pages_of_both_ranks, 2 * last_level_cache_bytes());
    EXPECT_LT((pairs.count() - 2) * pages_of_both_ranks, 2 * last_level_cache_bytes());
    std::set<std::byte*> inputs, outputs;
    for (Count i = 0; i < pairs.count(); ++i) {
      const BufferPair pair = pairs.next();
      std::memset(pair.input, 1, input);
      std::memset(pair.output, 1, output);
      inputs.insert(pair.input), outputs.insert(pair.output);
    }
    EXPECT_EQ(static_cast<Count>(inputs.size()), pairs.count()) << "each is used once before one is used again";
    EXPECT_EQ(static_cast<Count>(outputs.size()), pairs.count());
    EXPECT_TRUE(inputs.contains(pairs.next().input));
  });
}

TEST(BufferPairs, AreOneWithoutDataOrIfNotRequested) {
  run_threads(2, [](Communicator& communicator) {
    EXPECT_EQ(BufferPairs(communicator, 0, 0, false, true).count(), 1);
    EXPECT_EQ(BufferPairs(communicator, 8, 8, false, false).count(), 1);
    EXPECT_THROW(BufferPairs(communicator, Bytes{1} << 45, 8, false, true), Error) << "on all ranks, before memory is asked for";
  });
}

}  // namespace
}  // namespace quadrille

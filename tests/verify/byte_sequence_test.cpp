// SPDX-License-Identifier: BSD-3-Clause
#include "verify/byte_sequence.hpp"

#include <gtest/gtest.h>

#include <random>

namespace quadrille {
namespace {

// Random runs, from which other cuts of the same bytes are made; compared with lists of single bytes.
TEST(ByteSequence, ComparesBytesInOrderHoweverTheyAreCut) {
  std::mt19937_64 random(3);
  const auto below = [&](std::uint64_t n) { return static_cast<Bytes>(random() % n); };
  int equal = 0, different = 0;
  for (int i = 0; i < 20000; ++i) {
    ByteSequence one, other;
    std::vector<std::pair<Buffer, Bytes>> bytes_of_one, bytes_of_other;
    const auto add = [](ByteSequence& sequence, auto& bytes, const EvenRuns& runs) {
      sequence.append(runs);
      for (Count run = 0; run < runs.count; ++run)
        for (Bytes byte = 0; byte < runs.length; ++byte) bytes.emplace_back(runs.buffer, runs.offset + run * runs.stride + byte);
    };
    for (Bytes n = 1 + below(3); n > 0; --n) {
      EvenRuns runs{below(2) == 0 ? Buffer::input : Buffer::output, below(4), below(4), below(5), below(9) - 4};
      add(one, bytes_of_one, runs);
      if (below(8) == 0) runs.offset += 1;
      const Count first = below(static_cast<std::uint64_t>(runs.count + 1));
      add(other, bytes_of_other, {runs.buffer, runs.offset, runs.length, first, runs.stride});
      for (Count run = first; run < runs.count; ++run) {
        const Bytes cut = below(static_cast<std::uint64_t>(runs.length + 1));
        add(other, bytes_of_other, {runs.buffer, runs.offset + run * runs.stride, cut});
        add(other, bytes_of_other, {runs.buffer, runs.offset + run * runs.stride + cut, runs.length - cut});
      }
    }
    ASSERT_EQ(one == other, bytes_of_one == bytes_of_other);
    ++(one == other ? equal : different);
  }
  EXPECT_GT(equal, 5000);
  EXPECT_GT(different, 1000);
}

}  // namespace
}  // namespace quadrille

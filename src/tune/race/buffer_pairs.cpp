// SPDX-License-Identifier: BSD-3-Clause
#include "tune/race/buffer_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "foundation/arithmetic.hpp"
#include "plan/gathered.hpp"
#include "problem/limits.hpp"
#include "quadrille/indexed.hpp"
#include "tune/race/clocks.hpp"

namespace quadrille {
namespace {

constexpr Bytes page = 4096;

Bytes pages_of(Bytes bytes) { return rounded_up(bytes, page); }

// What one rank needs of memory and caches, or the sum over the ranks of a node.
struct Demand {
  Bytes data = 0;    // whole pages that hold the data of one pair
  Bytes memory = 0;  // memory of one pair
  Bytes cache = 0, usable = 0;
};

// The pairs must take twice the size of the caches, because caches do not evict strictly in order of use and their sets fill
// unevenly.
Count pairs_beyond_caches(const Demand& node) { return node.data == 0 ? 1 : ceil_divide(2 * node.cache, node.data) + 1; }

// Returns the number of pairs for cold caches. Every pair begins on its own page: hardware prefetchers stop at the end of a page,
// so they do not fetch the next pair.
Count cold_pairs(Communicator& communicator, const Demand& mine) {
  const ByRank<Demand> all = gathered(communicator, mine);
  std::map<Count, Demand> nodes;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const Demand& its = all[static_cast<Rank>(rank)];
    Demand& node = nodes[communicator.nodes()[rank]];
    node = {node.data + its.data, node.memory + its.memory, its.cache, its.usable};
  }
  Count pairs = 1;
  for (const auto& [number, node] : nodes) pairs = std::max(pairs, pairs_beyond_caches(node));
  for (const auto& [number, node] : nodes)
    if (static_cast<double>(pairs) * static_cast<double>(node.memory) > 0.8 * static_cast<double>(node.usable))
      throw Error(
          ErrorCode::too_large,
          fmt::format("{} pairs of input and output, which exceed the caches, need {:.1f} GiB of memory on a node, and it has "
                      "{:.1f} GiB; race without cold caches",
                      pairs, static_cast<double>(pairs) * static_cast<double>(node.memory) / (1 << 30),
                      static_cast<double>(node.usable) / (1 << 30)));
  return pairs;
}

// Parses a size such as "32768K".
Bytes cache_size(const std::filesystem::path& file) {
  std::ifstream in(file);
  Bytes number = 0;
  char unit = 'B';
  in >> number >> unit;
  return unit == 'K' ? number << 10 : unit == 'M' ? number << 20 : number;
}

}  // namespace

BufferPairs::BufferPairs(Communicator& communicator, Bytes input_bytes, Bytes output_bytes, bool shared, bool cold)
    : input_stride_(pages_of(std::max<Bytes>(input_bytes, 1))), output_stride_(pages_of(std::max<Bytes>(output_bytes, 1))) {
  if (cold)
    count_ = cold_pairs(communicator, {.data = pages_of(input_bytes) + pages_of(output_bytes),
                                       .memory = input_stride_ + output_stride_,
                                       .cache = last_level_cache_bytes(),
                                       .usable = usable_memory()});
  inputs_ = buffer(communicator, count_ * input_stride_, shared);
  outputs_ = buffer(communicator, count_ * output_stride_, shared);
}

BufferPair BufferPairs::pair(Count number) const {
  return {inputs_.get() + number * input_stride_, outputs_.get() + number * output_stride_};
}

BufferPair BufferPairs::next() {
  turn_ = turn_ + 1 == count_ ? 0 : turn_ + 1;
  return pair(turn_);
}

Bytes last_level_cache_bytes(const std::filesystem::path& cpus) {
  int last = 0;
  std::map<std::string, Bytes> caches;  // the last-level caches, by the list of cores that share one
  std::error_code none;
  for (const auto& cpu : std::filesystem::directory_iterator(cpus, none))
    for (const auto& cache : std::filesystem::directory_iterator(cpu.path() / "cache", none)) {
      int level = 0;
      std::ifstream(cache.path() / "level") >> level;
      if (level < last || level == 0) continue;
      if (level > last) caches.clear();
      last = level;
      std::string cores;
      std::ifstream(cache.path() / "shared_cpu_list") >> cores;
      Bytes& bytes = caches[cores];
      bytes = std::max(bytes, cache_size(cache.path() / "size"));
    }
  Bytes all = 0;
  for (const auto& [cores, bytes] : caches) all += bytes;
  return all > 0 ? all : Bytes{64} << 20;
}

}  // namespace quadrille

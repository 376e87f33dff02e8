// SPDX-License-Identifier: BSD-3-Clause
// Random neighbourhoods with data of which each rank knows what it must receive.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "quadrille/indexed.hpp"
#include "quadrille/neighborhood.hpp"

namespace quadrille::testing {

// All ranks draw the same blocks: several from one rank to another, none between others. A rank lists them in an order of its own,
// except that blocks of one pair keep theirs, and lists neighbours that do not exist as well.
class RandomNeighborhood {
 public:
  struct Block {
    Rank peer;    // -1: no neighbour
    Count count;  // of elements
    int first;    // the elements are first, first + 1, ...
  };

  RandomNeighborhood(Rank me, Count p, std::uint64_t seed) {
    std::mt19937_64 random(seed), own(seed + static_cast<std::uint64_t>(me) + 1);
    const auto most = random() % 4 == 0 ? 1u : 3u;  // blocks of a pair
    for (Rank from = 0; from < p; ++from)
      for (Rank to = 0; to < p; ++to)
        for (std::size_t block = 0, blocks = random() % (most + 1); block < blocks; ++block) {
          const auto count = static_cast<Count>(random() % 3 == 0 ? 0 : random() % (random() % 8 == 0 ? 9000 : 30));
          const int first = static_cast<int>(random() % 1'000'000);
          if (from == me) sent.push_back({to, count, first});
          if (to == me) received.push_back({from, count, first});
        }
    for (auto* list : {&sent, &received}) {
      std::vector<std::size_t> turns(index(p));
      for (std::size_t& turn : turns) turn = own() % 10;
      std::stable_sort(list->begin(), list->end(),
                       [&](const Block& one, const Block& other) { return turns[index(one.peer)] < turns[index(other.peer)]; });
      for (std::size_t nobody = own() % 3; nobody > 0; --nobody)
        list->insert(list->begin() + static_cast<std::ptrdiff_t>(own() % (list->size() + 1)),
                     {-1, static_cast<Count>(own() % 20), 0});
    }
  }

  Neighbors neighbors() const { return {peers_of(received), peers_of(sent)}; }

  static std::vector<Rank> peers_of(const std::vector<Block>& blocks) {
    std::vector<Rank> peers;
    for (const Block& block : blocks) peers.push_back(block.peer);
    return peers;
  }

  template <class Integer = Count>
  static std::vector<Integer> counts_of(const std::vector<Block>& blocks) {
    std::vector<Integer> counts;
    for (const Block& block : blocks) counts.push_back(static_cast<Integer>(block.count));
    return counts;
  }

  // Places of the blocks one after the other, with gaps of up to `gap` elements, the last blocks first.
  static std::vector<Count> places_of(const std::vector<Block>& blocks, Count gap) {
    std::vector<Count> places(blocks.size());
    Count next = 0;
    for (std::size_t block = blocks.size(); block-- > 0;) {
      next += gap == 0 ? 0 : static_cast<Count>(block) % (gap + 1);
      places[block] = next;
      next += blocks[block].count;
    }
    return places;
  }

  static Count end_of(const std::vector<Block>& blocks, const std::vector<Count>& places) {
    Count end = 0;
    for (std::size_t block = 0; block < blocks.size(); ++block) end = std::max(end, places[block] + blocks[block].count);
    return end;
  }

  static std::vector<Count> packed_places_of(const std::vector<Block>& blocks) {
    std::vector<Count> places;
    Count next = 0;
    for (const Block& block : blocks) {
      places.push_back(next);
      next += block.count;
    }
    return places;
  }

  // The elements of a buffer; -1 where no neighbour's block is.
  static std::vector<int> elements_of(const std::vector<Block>& blocks, const std::vector<Count>& places) {
    std::vector<int> elements(index(end_of(blocks, places)), -1);
    for (std::size_t block = 0; block < blocks.size(); ++block)
      for (Count i = 0; i < blocks[block].count && blocks[block].peer >= 0; ++i)
        elements[index(places[block] + i)] = blocks[block].first + static_cast<int>(i);
    return elements;
  }

  // The same neighbours, with blocks of equal length.
  static std::vector<Block> equal(std::vector<Block> blocks, Count count) {
    for (Block& block : blocks) block.count = count;
    return blocks;
  }

  std::vector<Block> sent, received;
};

}  // namespace quadrille::testing

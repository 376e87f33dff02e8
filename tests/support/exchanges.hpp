// SPDX-License-Identifier: BSD-3-Clause
// Runs exchanges by edges with checked data. Each call draws who sends to whom, how many edges a pair has, and how long they are;
// every rank computes the same. Buffers are private or shared memory.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "execute/executions/exchanger.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::testing {

class Exchanges {
 public:
  static constexpr Bytes longest = 300'000;

  // Collective. If `allocated`, blocks lie in memory that other ranks can load from.
  Exchanges(Communicator& ranks, std::uint64_t seed, bool allocated)
      : me_(ranks.rank()), ranks_(ranks.size()), seed_(seed), exchange_(Exchanger::of(ranks)) {
    for (auto& memory : memory_) {
      if (allocated) memory = ranks.allocate(arena_bytes());
      if (!allocated) memory = {static_cast<std::byte*>(std::malloc(index(arena_bytes()))), std::free};
    }
  }

  // Collective. Runs the given number of calls and returns a description of the first error on this rank.
  std::string run(long calls, Bytes most = longest) {
    for (long i = 0; i < calls; ++i) {
      ++call_;
      lay_out(most);
      exchange_->execute({sends_, receives_});
      if (std::string wrong = difference(); !wrong.empty()) return wrong;
    }
    return "";
  }

 private:
  static constexpr Bytes guard = 8;
  static constexpr std::byte unwritten{0xA5};

  static constexpr Count most_edges = 5;  // of a pair

  // Most of it is never touched.
  Bytes arena_bytes() const { return ranks_ * most_edges * (longest + 64); }

  std::uint64_t draw(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) const {  // splitmix64
    std::uint64_t x = seed_ + 0x9e3779b97f4a7c15u * (a + 1) + 0xbf58476d1ce4e5b9u * (b + 1) + 0x94d049bb133111ebu * (c + 1);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  static Bytes any_size(std::uint64_t number) {
    const auto part = [number](Bytes least, Bytes most) {
      return least + static_cast<Bytes>((number >> 8) % static_cast<std::uint64_t>(most - least + 1));
    };
    switch (number % 16) {
      case 0:
      case 1:
      case 2:
      case 3: return 0;
      case 4:
      case 5: return part(1, 17);
      case 6:
      case 7: return part(90, 130);  // a slot holds 112
      case 8:
      case 9:
      case 10: return part(1, 1100);
      case 11:
      case 12:
      case 13: return part(1000, 9000);
      case 14: return part(9000, 70'000);
      default: return part(50'000, longest);
    }
  }

  // Returns how many edges lead from one rank to another in this call.
  Count edges(Rank from, Rank to) const {
    const auto pair = draw(call_, static_cast<std::uint64_t>(from) + 10, static_cast<std::uint64_t>(to) + 10);
    switch (draw(call_, 6) % 8) {
      case 0: return static_cast<Count>(pair % static_cast<std::uint64_t>(most_edges + 1));
      case 1: return pair % 4 == 0 ? 1 : 0;         // few partners
      case 2: return from == 0 || to == 0 ? 1 : 0;  // some ranks are not in touch with each other
      case 3:
        return static_cast<std::uint64_t>(to) == draw(call_, 7) % static_cast<std::uint64_t>(ranks_) ? 1 : 0;  // as in a gather
      default: return 1;
    }
  }

  // Returns the bytes of an edge.
  Bytes size(Rank from, Rank to, Count edge, Bytes most) const {
    const std::uint64_t kind = draw(call_), one = draw(call_, 1) % static_cast<std::uint64_t>(ranks_);
    const Bytes many = any_size(draw(call_, 2)), few = any_size(draw(call_, 3)) % 100;
    const auto is_one = [one](Rank rank) { return static_cast<std::uint64_t>(rank) == one; };
    const auto pair = draw(call_ + static_cast<std::uint64_t>(edge) * 7919, static_cast<std::uint64_t>(from) + 10,
                           static_cast<std::uint64_t>(to) + 10);
    const Bytes bytes = [&] {
      switch (kind % 8) {
        case 0: return many;                       // uniform
        case 1: return is_one(from) ? many : few;  // spikes
        case 2: return is_one(to) ? many : few;
        case 3: return to == ranks_ - 1 - from ? many : 0;     // transpose
        case 4: return is_one(from) && is_one(to) ? many : 0;  // usually nothing at all
        default: return any_size(pair);
      }
    }();
    return std::min(bytes, most);
  }

  // Returns the first byte of an edge.
  std::byte first_of(Rank from, Rank to, Count edge) const {
    return static_cast<std::byte>(draw(call_ * most_edges + static_cast<std::uint64_t>(edge), static_cast<std::uint64_t>(from),
                                       static_cast<std::uint64_t>(to)));
  }
  static std::byte step(std::byte first, Bytes i) {
    return static_cast<std::byte>(static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(i) * 7 +
                                  (static_cast<std::uint64_t>(i) >> 8));
  }

  // Lists the edges in an order of its own on each rank; only edges of one pair keep theirs.
  void lay_out(Bytes most) {
    sends_.clear(), receives_.clear(), firsts_.clear();
    Bytes out = static_cast<Bytes>(draw(call_, 4) % 8), in = static_cast<Bytes>(draw(call_, 5) % 8);
    const auto turn = static_cast<Rank>(draw(call_, 8, static_cast<std::uint64_t>(me_)) % static_cast<std::uint64_t>(ranks_));
    for (Count edge = 0; edge < most_edges; ++edge)
      for (Rank each = 0; each < ranks_; ++each) {
        const Rank rank = (each + turn) % ranks_;
        if (edge < edges(me_, rank)) {
          const Bytes sent = size(me_, rank, edge, most);
          sends_.push_back({rank, sent > 0 ? memory_[0].get() + out : nullptr, sent});
          const std::byte first = first_of(me_, rank, edge);
          for (Bytes i = 0; i < sent; ++i) memory_[0].get()[out + i] = step(first, i);
          out += sent;
        }
        if (edge < edges(rank, me_)) {
          const Bytes received = size(rank, me_, edge, most);
          receives_.push_back({rank, received > 0 ? memory_[1].get() + in : nullptr, received});
          firsts_.push_back(first_of(rank, me_, edge));
          std::memset(memory_[1].get() + in, static_cast<int>(unwritten), index(received + guard));
          in += received + guard;
        }
      }
  }

  std::string difference() const {
    for (std::size_t edge = 0; edge < receives_.size(); ++edge) {
      const auto [from, memory, bytes] = receives_[edge];
      if (!memory) continue;
      for (Bytes i = 0; i < bytes + guard; ++i)
        if (memory[i] != (i < bytes ? step(firsts_[edge], i) : unwritten))
          return fmt::format("call {}: byte {} of {} from rank {} at rank {} is wrong", call_, i, bytes, from, me_);
    }
    return "";
  }

  const Rank me_;
  const Count ranks_;
  const std::uint64_t seed_;
  std::uint64_t call_ = 0;
  const std::unique_ptr<Exchanger> exchange_;
  std::vector<Edges::Send> sends_;
  std::vector<Edges::Receive> receives_;
  std::vector<std::byte> firsts_;                     // by received edge: its first byte
  std::array<std::shared_ptr<std::byte>, 2> memory_;  // memory of the sent and of the received blocks
};

}  // namespace quadrille::testing

// SPDX-License-Identifier: BSD-3-Clause
// Runs direct exchanges with checked data. Sizes are of every kind and change at each call; buffers are private or shared memory.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "execute/shared/unplanned/direct_exchange.hpp"

namespace quadrille::testing {

class Exchanges {
 public:
  static constexpr Bytes longest = 300'000;

  // Collective. If `allocated`, blocks lie in memory that other ranks can load from.
  Exchanges(Communicator& ranks, std::uint64_t seed, bool allocated)
      : me_(ranks.rank()), ranks_(ranks.size()), seed_(seed), exchange_(ranks), sends_(index(ranks_)), receives_(index(ranks_)) {
    for (auto& memory : memory_) {
      if (allocated) memory = ranks.allocate(arena_bytes());
      if (!allocated) memory = {new std::byte[index(arena_bytes())], std::default_delete<std::byte[]>()};
    }
  }

  // Collective. Runs the given number of calls and returns a description of the first error on this rank.
  std::string run(long calls, Bytes most = longest) {
    for (long i = 0; i < calls; ++i) {
      ++call_;
      lay_out(most);
      exchange_.exchange(sends_, receives_);
      if (std::string wrong = difference(); !wrong.empty()) return wrong;
    }
    return "";
  }

 private:
  static constexpr Bytes guard = 8;
  static constexpr std::byte unwritten{0xA5};

  Bytes arena_bytes() const { return ranks_ * (longest + 64); }

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

  // Returns the bytes from one rank to another in this call; every rank computes the same.
  Bytes size(Rank from, Rank to, Bytes most) const {
    const std::uint64_t kind = draw(call_), one = draw(call_, 1) % static_cast<std::uint64_t>(ranks_);
    const Bytes many = any_size(draw(call_, 2)), few = any_size(draw(call_, 3)) % 100;
    const auto is_one = [one](Rank rank) { return static_cast<std::uint64_t>(rank) == one; };
    const auto pair = draw(call_, static_cast<std::uint64_t>(from) + 10, static_cast<std::uint64_t>(to) + 10);
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

  // Returns byte i of a block.
  std::byte content(Rank from, Rank to, Bytes i) const {
    return static_cast<std::byte>(static_cast<std::uint64_t>(i) * 7 + (static_cast<std::uint64_t>(i) >> 8) +
                                  draw(call_, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)));
  }

  void lay_out(Bytes most) {
    Bytes out = static_cast<Bytes>(draw(call_, 4) % 8), in = static_cast<Bytes>(draw(call_, 5) % 8);
    for (Rank rank = 0; rank < ranks_; ++rank) {
      const Bytes sent = size(me_, rank, most), received = size(rank, me_, most);
      sends_[index(rank)] = {sent > 0 ? memory_[0].get() + out : nullptr, sent};
      fill(memory_[0].get() + out, rank, sent);
      out += sent;
      receives_[index(rank)] = {received > 0 ? memory_[1].get() + in : nullptr, received};
      std::memset(memory_[1].get() + in, static_cast<int>(unwritten), index(received + guard));
      in += received + guard;
    }
  }

  void fill(std::byte* memory, Rank to, Bytes bytes) const {
    const std::byte first = content(me_, to, 0);
    for (Bytes i = 0; i < bytes; ++i) memory[i] = step(first, i);
  }
  static std::byte step(std::byte first, Bytes i) {
    return static_cast<std::byte>(static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(i) * 7 +
                                  (static_cast<std::uint64_t>(i) >> 8));
  }

  std::string difference() const {
    for (Rank from = 0; from < ranks_; ++from) {
      const auto [memory, bytes] = receives_[index(from)];
      if (!memory) continue;
      const std::byte first = content(from, me_, 0);
      for (Bytes i = 0; i < bytes + guard; ++i)
        if (memory[i] != (i < bytes ? step(first, i) : unwritten))
          return fmt::format("call {}: byte {} of {} from rank {} at rank {} is wrong", call_, i, bytes, from, me_);
    }
    return "";
  }

  const Rank me_;
  const Count ranks_;
  const std::uint64_t seed_;
  std::uint64_t call_ = 0;
  DirectExchange exchange_;
  std::vector<DirectExchange::Outgoing> sends_;
  std::vector<DirectExchange::Incoming> receives_;
  std::array<std::shared_ptr<std::byte>, 2> memory_;  // memory of the sent and of the received blocks
};

}  // namespace quadrille::testing

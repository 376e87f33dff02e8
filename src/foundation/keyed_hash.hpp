// SPDX-License-Identifier: BSD-3-Clause
// A hash with a secret key: SipHash-2-4 [aumasson2012] with 64 bits. Who does not know the key can neither compute nor guess the
// hash of a text, so it also serves as a message authentication code.
//
// Words are read in the byte order of the processor. The values are those of the paper where this is little-endian.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace quadrille {

using HashKey = std::array<std::uint64_t, 2>;  // 128 bits

inline std::uint64_t keyed_hash(const HashKey& key, std::string_view text) {
  std::uint64_t a = key[0] ^ 0x736f6d6570736575u, b = key[1] ^ 0x646f72616e646f6du;
  std::uint64_t c = key[0] ^ 0x6c7967656e657261u, d = key[1] ^ 0x7465646279746573u;
  const auto mix = [&](int rounds) {
    for (; rounds > 0; --rounds) {
      a += b, b = std::rotl(b, 13) ^ a, a = std::rotl(a, 32);
      c += d, d = std::rotl(d, 16) ^ c;
      a += d, d = std::rotl(d, 21) ^ a;
      c += b, b = std::rotl(b, 17) ^ c, c = std::rotl(c, 32);
    }
  };
  bool is_last = false;
  for (std::size_t at = 0; !is_last; at += sizeof a) {
    std::uint64_t word = 0;
    is_last = text.copy(reinterpret_cast<char*>(&word), sizeof word, at) < sizeof word;
    if (is_last) word |= static_cast<std::uint64_t>(text.size()) << 56;
    d ^= word;
    mix(2);
    a ^= word;
  }
  c ^= 0xff;
  mix(4);
  return a ^ b ^ c ^ d;
}

}  // namespace quadrille

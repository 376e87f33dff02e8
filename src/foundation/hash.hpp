// SPDX-License-Identifier: BSD-3-Clause
// Hashes of texts and numbers. Unlike std::hash, they are the same in every process and with every standard library. They detect
// accidental differences, not deliberate ones.
//
// The functions must not change: wisdom files and their names contain hashes of texts (tune/wisdom), folders of reports have them
// in their names (mpi_face/report), the documentation prints simulations that draw mixed numbers (simulate/event_run.hpp), and
// errors print hashes of lists (plan/request.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace quadrille {

// Returns the FNV-1a hash of a text, or of the concatenation of two texts if `hash` is the hash of the first text.
constexpr std::uint64_t text_hash(std::string_view text, std::uint64_t hash = 0xCBF29CE484222325u) {
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3u;
  return hash;
}

// Returns well-mixed bits of a number [steele2014, splitmix64]: consecutive numbers give unrelated results, which can be used like
// random numbers.
constexpr std::uint64_t mixed(std::uint64_t number) {
  number += 0x9E3779B97F4A7C15u;
  number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9u;
  number = (number ^ number >> 27) * 0x94D049BB133111EBu;
  return number ^ number >> 31;
}

// Spreads a number over 64 bits by one multiplication, for tables that are looked up in nanoseconds. Only the upper bits of the
// result depend on all bits of the number, so a table takes its index from these bits.
constexpr std::uint64_t spread(std::uint64_t number) { return number * 0x9E3779B97F4A7C15u; }

// Returns the hash of a sequence with `number` appended; `hash` is the hash of the sequence without it. The lowest bits of the
// result depend on the lowest 30 bits of `number`, and on more bits of the numbers before.
constexpr std::uint64_t hash_with(std::uint64_t hash, std::uint64_t number) {
  hash = spread(hash ^ number);
  return hash ^ hash >> 29;
}

// Returns a hash of a text, which it reads eight bytes at a time: much faster than text_hash for long texts. Processors with
// different byte orders get different values.
inline std::uint64_t words_hash(std::string_view text) {
  std::uint64_t hash = text.size();
  for (std::size_t at = 0; at < text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, std::min(sizeof word, text.size() - at));
    hash = hash_with(hash, word);
  }
  return hash;
}

}  // namespace quadrille

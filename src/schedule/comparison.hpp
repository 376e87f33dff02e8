// SPDX-License-Identifier: BSD-3-Clause
// Tells whether two schedules do the same although they are written differently. Also hashes, by which ranks compare problems and
// programs.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "foundation/hash.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

// Returns a local operation as operations with one contiguous region on each side. An incorrect operation, whose sides have
// different lengths, is not divided.
std::vector<Local> pieces_of(const Local& local);

// Returns the program as the JSON form represents it: regions are contiguous runs, local operations have one region on each side,
// and messages and operations without bytes are left out. Normalised programs are equal if they do the same with the same bytes,
// in the same rounds and order. Throws Error{misuse, too_large} like `bytes` and `hull`.
Program normalised(Program program);

// The sizes of a rank's input and output.
struct BufferBytes {
  Bytes input = 0, output = 0;
  bool operator==(const BufferBytes&) const = default;
};

// Returns the sizes that the schedule states, or those that its problem defines.
BufferBytes buffer_bytes(const Schedule& schedule, Rank rank);

// Do the schedules have the same problem, specification and sizes of buffers, and does each rank do the same in both? So a
// schedule equals the schedule that is read from its JSON document or text. Makes all programs.
bool is_same(const Schedule& one, const Schedule& other);

// Hashes of problems and programs. Ranks compare hashes, so that they need not send each other whole problems and
// programs. Hashes detect accidental differences, not deliberate ones. Two programs that do the same but list or cut
// their regions differently have different hashes.
class ContentHash {
 public:
  template <class... Numbers>
  requires((std::is_integral_v<Numbers> || std::is_enum_v<Numbers>)&&...) void add(Numbers... numbers) {
    ((value_ = hash_with(value_, static_cast<std::uint64_t>(numbers))), ...);
  }
  void add(std::string_view text);  // includes the length, so that two adjacent texts do not have the hash of their concatenation
  void add(const Region& region);
  void add(const Round& round);

  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x243F6A8885A308D3u;  // not 0: adding 0 to 0 would leave the hash unchanged
};

std::uint64_t hash_of(const Round& round);
std::uint64_t hash_of(const Program& program);

// Counts are hashed by value, so sparse counts have the same hash as the equal matrix.
std::uint64_t hash_of(const Problem& problem);

}  // namespace quadrille

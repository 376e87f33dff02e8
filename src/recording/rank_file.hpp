// SPDX-License-Identifier: BSD-3-Clause
// A file that one rank makes and maps to memory, so that the stored data remains even if the rank is killed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foundation/system/files.hpp"

namespace quadrille::recording {

// Parts of error sentences about a kind of files.
struct RankFileWords {
  std::string_view it;      // "the counters"; the file's name follows
  std::string_view no_one;  // "is not a file of counters; choose another name"
  std::string_view other;   // "choose another name for the report"
};

[[noreturn]] void fail_to_make(const RankFileWords& words, const std::string& path, const std::string& reason);

// Makes a new file, locked while this process lives. An older file of its kind, which begins with `magic`, is unlinked rather
// than truncated: a process that has mapped the file would crash if the file became shorter. Any other file is left unchanged.
// Throws Error{environment} if the file cannot be made, if another file has its name, or if a process that still runs writes it.
Descriptor new_rank_file(const RankFileWords& words, const std::string& path, std::string_view magic);

std::uint64_t longest_file() noexcept;  // the longest file that this process may write (ulimit -f)

// Reserves disk space for a part of the file, and makes the file long enough for this part. A store to mapped memory without disk
// space would kill the program, and so would a file that exceeds its size limit (ulimit -f). Returns false if there is no space.
bool reserve(const Descriptor& file, std::uint64_t from, std::uint64_t bytes) noexcept;

// Maps a part of the file or, if the descriptor is negative, anonymous memory. Null if that fails; errno says why.
void* mapped(const Descriptor& file, std::uint64_t from, std::uint64_t bytes, int more_flags = 0) noexcept;

}  // namespace quadrille::recording

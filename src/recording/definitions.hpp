// SPDX-License-Identifier: BSD-3-Clause
// Communicators, sites and the facts of a run, as bytes.
#pragma once

#include <string>

#include "quadrille/recording.hpp"
#include "recording/bytes.hpp"

namespace quadrille::recording {

// What a rank knows of itself and of the run.
struct RankFacts {
  std::string program, mpi, version, host;
  Rank rank = 0;
  Count world_size = 1;
  std::uint64_t run = 0;  // equal on all ranks of a run, different for other runs
  std::int64_t start_unix_ns = 0;
  std::int64_t process = 0;
  bool folds = false;
};

void write(ByteWriter& to, const RankFacts& facts);
void write(ByteWriter& to, const RecordedCommunicator& communicator);
void write(ByteWriter& to, const RecordedSite& site);  // the communicator by its number among the rank's own

// They throw Error{malformed}. Texts come without characters that would disturb a terminal.
RankFacts read_facts(ByteReader& from);
// `members_left`: how many members the file's communicators may still have together.
RecordedCommunicator read_communicator(ByteReader& from, Count world_size, std::uint64_t& members_left);
RecordedSite read_site(ByteReader& from, std::size_t communicators);

inline constexpr Count most_ranks = Count{1} << 24;
inline constexpr std::uint64_t most_members = std::uint64_t{1} << 25;  // of all communicators of a rank

}  // namespace quadrille::recording

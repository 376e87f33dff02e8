// SPDX-License-Identifier: BSD-3-Clause
// The file of one rank, rank-N.recording, which is made of the rank's log (live_log.hpp) when the run ends. docs/recording.md
// describes the format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quadrille/recording.hpp"
#include "recording/definitions.hpp"

namespace quadrille::recording {

inline constexpr std::string_view file_magic = "quadrille-recording/1\n";

// All that a rank's file holds. The sites' communicators are indices in `communicators`, and RecordedRank::sites is empty: its
// entries name the sites by their numbers here.
struct RankContents {
  RankFacts facts;
  std::vector<RecordedCommunicator> communicators;
  std::vector<RecordedSite> sites;
  RecordedRank recorded;
};

// The last eight bytes of a file whose other bytes are these.
std::string checksum(std::string_view bytes);

std::string file_of(const RankContents& contents);

// Throws Error{malformed}: the bytes are not such a file, or damaged. The sentence begins with "it" or "its": the caller names the
// file.
RankContents parse_file(std::string_view bytes);

// Reads the log of a rank that has ended, was killed or still runs, and packs it. Throws Error{environment} if the log cannot be
// read, Error{malformed} if it is damaged; the sentence begins with "it" or "its".
RankContents read_log(const std::string& folder, Rank rank);

}  // namespace quadrille::recording

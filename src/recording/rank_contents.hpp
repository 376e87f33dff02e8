// SPDX-License-Identifier: BSD-3-Clause
// What the file of one rank holds (call_log.hpp). docs/recording.md describes the format.
#pragma once

#include <string>
#include <vector>

#include "quadrille/recording.hpp"
#include "recording/definitions.hpp"

namespace quadrille::recording {

// The sites' communicators are indices in `communicators`, and RecordedRank::sites is empty: the entries name sites by their
// numbers here.
struct RankContents {
  RankFacts facts;
  std::vector<RecordedCommunicator> communicators;
  std::vector<RecordedSite> sites;
  RecordedRank recorded;
};

// Reads the file of a rank that has ended, was killed or still runs. Throws Error{environment} if the file cannot be read,
// Error{malformed} if it is damaged or not of a recording. The sentence begins with "it" or "its"; the caller puts the name of
// the file in front.
RankContents read_rank(const std::string& path);

// For the file of a rank that has ended: replaces repetitions by their means (folding.hpp), if that makes the file shorter. Throws
// the errors of read_rank.
void fold_rank(const std::string& path);

// Returns a text that distinguishes the file of a rank that has ended from other files: its length, and a hash of its header.
// Throws the errors of read_rank.
std::string token_of_rank(const std::string& path);

}  // namespace quadrille::recording

// SPDX-License-Identifier: BSD-3-Clause
// Finds the site of a call, and defines it in the rank's log when it occurs for the first time.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "foundation/lookup.hpp"
#include "mpi_face/call.hpp"
#include "mpi_face/known_calls.hpp"
#include "mpi_face/mpi_facts.hpp"
#include "mpi_face/policy/kind.hpp"
#include "quadrille/recording.hpp"
#include "recording/call_log.hpp"
#include "recording/gap_clock.hpp"

namespace quadrille::mpi_face {

// The values by which sites of a rank differ.
struct RecordedKey {
  RecordedKind kind = RecordedKind::collective;
  const char* name = nullptr;  // of the function that was called; names are literals, one each
  std::size_t communicator = 0;
  Key call;  // of a collective
  bool operator==(const RecordedKey&) const = default;
};

struct SiteHere {
  RecordedKey key;
  std::uint32_t number = 0;  // Entry::site
  bool are_sampled = false;
  recording::Pace pace;      // of the gaps after its calls
  SiteHere* next = nullptr;  // once it has come: of the starts of what was made here, or of the completions of starts
};

// Kept for a communicator while it exists.
struct CommunicatorHere {
  const KnownCommunicator& facts;
  KnownCalls& calls;
  std::size_t number = 0;  // in the log
  std::string name;
};

class RecordedSites {
 public:
  static constexpr std::size_t most_vectors = 1000;  // vectors of counts that are kept for one kind of calls

  explicit RecordedSites(recording::CallLog& log) : log_(log) {}

  // Local. Numbers the communicator among those with the same members.
  std::unique_ptr<CommunicatorHere> open(const KnownCommunicator& communicator, KnownCalls& calls);
  // Returns the communicator's name if the program has changed it since the last call of this function.
  static std::optional<std::string> new_name(CommunicatorHere& here);

  // A site without sizes.
  SiteHere& of(RecordedKind kind, const char* function, const CommunicatorHere& communicator);
  // The site of a collective. `function`: the function that was called; it differs from the call's function if it is nonblocking.
  SiteHere& of(Function function, CommunicatorHere& communicator, const MpiCall& call);
  // The site of the starts of what was made at a site, or of the completions of what was started there.
  SiteHere& after(SiteHere& site);

 private:
  // The vectors of counts of one kind of calls, by their sums.
  using Vectors = std::multimap<Bytes, SiteHere*>;

  SiteHere* find(const RecordedKey& key) const;
  SiteHere& with_counts(const RecordedKey& key, CommunicatorHere& here, const MpiCall& call);
  bool has_room() const { return sites_.values().size() < std::size_t{1} << 17; }
  SiteHere& define(const RecordedKey& key, RecordedSite site);
  SiteHere& others();

  recording::CallLog& log_;
  HashTable<SiteHere> sites_;
  std::vector<RecordedSite> defined_;                   // by number
  std::unordered_map<std::uint64_t, Vectors> vectors_;  // by a hash of the key without counts
  std::size_t counts_kept_ = 0;
  std::map<std::pair<bool, std::vector<Rank>>, Count> made_;  // communicators by their members
  std::size_t communicators_ = 0;
};

}  // namespace quadrille::mpi_face

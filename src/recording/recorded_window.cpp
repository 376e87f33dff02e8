// SPDX-License-Identifier: BSD-3-Clause
#include "recording/recorded_window.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace quadrille::recording {
namespace {

// Goes through the entries of all ranks in the order in which they began.
class EntryOrder {
 public:
  explicit EntryOrder(const Recording& recording) {
    for (const RecordedRank& rank : recording.ranks) {
      ranks_.emplace_back(rank);
      begins_.push({0, ranks_.size() - 1});
    }
  }

  // When the next entry began; nothing at the end.
  std::optional<double> next() {
    while (!begins_.empty()) {
      const auto [begin_s, rank] = begins_.top();
      begins_.pop();
      const auto entry = ranks_[rank].next();
      if (!entry) continue;
      begins_.push({begin_s + entry->gap_s + entry->away_s + entry->duration_s, rank});
      return begin_s;
    }
    return std::nullopt;
  }

 private:
  using Begin = std::pair<double, std::size_t>;
  std::vector<RecordedCalls> ranks_;
  std::priority_queue<Begin, std::vector<Begin>, std::greater<>> begins_;
};

}  // namespace

RecordedWindow window_of(const Recording& recording, double from_s, double to_s, Count most_entries) {
  RecordedWindow window{from_s, to_s};
  double last_s = from_s;
  EntryOrder entries(recording);
  for (auto begin_s = entries.next(); begin_s && *begin_s < to_s; begin_s = entries.next()) {
    if (*begin_s < from_s) continue;
    if (window.entries >= most_entries && *begin_s > last_s) {
      window.to_s = *begin_s, window.is_cut = true;
      return window;
    }
    ++window.entries;
    last_s = *begin_s;
  }
  double end_s = 0;
  for (const RecordedRank& rank : recording.ranks) end_s = std::max(end_s, rank.seconds);
  window.to_s = std::min(to_s, end_s);
  return window;
}

}  // namespace quadrille::recording

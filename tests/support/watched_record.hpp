// SPDX-License-Identifier: BSD-3-Clause
// A fixture with the counters of a watched rank: the calls are written as the drop-in does, and read as watchers do.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/system/ticks.hpp"
#include "mpi_face/report/record.hpp"
#include "mpi_face/report/record_read.hpp"
#include "mpi_face/symbols/function.hpp"
#include "mpi_face/watch/seen_record.hpp"
#include "support/own_folder.hpp"

namespace quadrille::testing {

using namespace mpi_face;

inline constexpr auto watched_functions = [] {
  constexpr std::string_view messages[] = {"Send", "Recv", "Irecv", "Send_init", "Wait"};
  std::array<std::string_view, function_names.size() + std::size(messages)> names;
  for (std::size_t i = 0; i < function_names.size(); ++i) names[i] = short_name(static_cast<Function>(i));
  std::copy(std::begin(messages), std::end(messages), names.begin() + function_names.size());
  return names;
}();

constexpr std::uint16_t number_of(std::string_view function) {
  return static_cast<std::uint16_t>(std::find(watched_functions.begin(), watched_functions.end(), function) -
                                    watched_functions.begin());
}

inline std::vector<Rank> first_ranks(Count count) {
  std::vector<Rank> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), Rank{0});
  return ranks;
}

// A collective on communicator 0.
inline RingEntry call(std::string_view function, std::uint64_t number, RingEntry more = {}) {
  more.function = number_of(function), more.number = number;
  if (more.begin_ticks == 0) more.begin_ticks = ticks();
  return more;
}

class WatchedRecordTest : public OwnFolder {
 protected:
  void SetUp() override {
    OwnFolder::SetUp();
    record_ = make(true);
    record_->add_communicator("MPI_COMM_WORLD", first_ranks(4));
  }

  std::string path() const { return (place_ / "run.rank-2.counters").string(); }
  std::unique_ptr<Record> make(bool is_watched) const {
    return std::make_unique<Record>(
        RecordOptions{.path = path(), .world_rank = 2, .world_size = 4, .functions = watched_functions, .is_watched = is_watched});
  }
  WatchPage& page() const { return record_->ring().page(); }
  RingEntry& begin(const RingEntry& entry) const { return record_->ring().begin_collective(entry); }
  void begin_and_leave(const RingEntry& entry) const { record_->ring().leave(begin(entry), ticks()); }
  std::uint64_t seconds(double count) const { return static_cast<std::uint64_t>(count * record_->ticks_per_second()); }

  // Puts counts into the memory of the rank's process, and returns their address.
  template <class Number>
  std::uint64_t put(const std::vector<Number>& counts) {
    const std::uint64_t address = first_address + memory_.size();
    memory_.append(reinterpret_cast<const char*>(counts.data()), counts.size() * sizeof(Number));
    return address;
  }
  ReadMemory reader() const {
    return [this](std::uint64_t address, void* to, std::size_t bytes) {
      const std::uint64_t at = address - first_address;
      if (at > memory_.size() || bytes > memory_.size() - at) return false;
      std::memcpy(to, memory_.data() + at, bytes);
      return true;
    };
  }

  SeenRank seen(std::uint64_t now = ticks()) const {
    const auto place = [](std::uint64_t address) { return fmt::format("at {}", address); };
    return seen_rank(read_watched_record(path()), now, place, reader());
  }

  // Begins a call with lists, and returns it as it is seen.
  WatchedCall seen_with(const RingEntry& entry, CallLists lists) const {
    begin(entry);
    lists.number = entry.number;
    page().lists = lists;
    return seen().calls.back();
  }

  static constexpr std::uint64_t first_address = 1 << 20;

  std::unique_ptr<Record> record_;
  std::string memory_;
};

}  // namespace quadrille::testing

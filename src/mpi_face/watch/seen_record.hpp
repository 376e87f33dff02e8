// SPDX-License-Identifier: BSD-3-Clause
// What a rank's file of counters tells a watcher.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mpi_face/report/record_read.hpp"
#include "mpi_face/watch/seen_rank.hpp"

namespace quadrille::mpi_face {

// Returns the place in the source of the call that returns to an address; may be empty.
using PlaceOf = std::function<std::string(std::uint64_t address)>;

// Copies memory of the rank's process. Returns false if that is not possible.
using ReadMemory = std::function<bool(std::uint64_t address, void* to, std::size_t bytes)>;

// Returns what the record says. `now_ticks`: the counter of ticks() on the rank's machine. `read_memory` may be null: then the
// counts of an irregular collective are not known. The process's own state must be added (add_process).
SeenRank seen_rank(const RankRecord& record, std::uint64_t now_ticks, const PlaceOf& place, const ReadMemory& read_memory);

// The objects of the rank that are not freed, by place.
std::vector<LiveObjects> live_objects(const WatchPage& page, const PlaceOf& place);

// Adds what the system says of the rank's process, if it runs on this machine.
void add_process(SeenRank& rank);

// How a process has ended, by the status of waitpid(2): "was ended by signal 9 (SIGKILL)" or "ended with exit code 3".
std::string words_of_end(int status);

// The call that a rank is in; without one, its last call. Cheap, for polling.
struct CallInProgress {
  std::uint64_t begin_ticks = 0, site = 0;
  std::uint64_t begun = 0;  // calls so far
  bool is_inside = false;
};
CallInProgress call_in_progress(const WatchPage& page);

}  // namespace quadrille::mpi_face

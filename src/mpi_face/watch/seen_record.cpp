// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/watch/seen_record.hpp"

#include <fmt/format.h>
#include <string.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <tuple>

#include "foundation/system/proc.hpp"
#include "mpi_face/symbols/function.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::uint64_t most_listed_ranks = 1 << 20;

// Copies an entry, unless the rank writes it at this moment or has not written it yet.
std::optional<RingEntry> whole(const RingEntry& entry) {
  const auto sequence = [&] { return std::atomic_ref(const_cast<std::uint64_t&>(entry.sequence)).load(std::memory_order_acquire); };
  const std::uint64_t before = sequence();
  if (before == 0 || before % 2 == 1) return std::nullopt;
  RingEntry copy;
  std::memcpy(&copy, &entry, sizeof copy);
  std::atomic_thread_fence(std::memory_order_acquire);
  if (sequence() != before) return std::nullopt;
  return copy;
}

bool is_waiting(const RingEntry& entry) { return !entry.has_left; }

// The entries of both rings, in the order of their beginnings.
std::vector<RingEntry> entries_of(const WatchPage& page) {
  std::vector<RingEntry> all;
  const auto take = [&](const auto& ring) {
    for (const RingEntry& each : ring)
      if (const auto entry = whole(each)) all.push_back(*entry);
  };
  take(page.last_collectives);
  take(page.last_messages);
  // Not by std::stable_sort, whose memory is not aligned as the entries must be.
  std::sort(all.begin(), all.end(), [](const RingEntry& a, const RingEntry& b) {
    return std::tie(a.begin_ticks, a.sequence) < std::tie(b.begin_ticks, b.sequence);
  });
  return all;
}

std::string element_words(std::int32_t element) {
  if (element < 0) return "";
  return static_cast<std::size_t>(element) < std::size(element_names)
             ? std::string(element_names[static_cast<std::size_t>(element)])
             : fmt::format("type {:x}", element);
}

std::vector<Rank> members(const RankRecord& record, const RecordCommunicator& communicator) {
  std::vector<Rank> ranks;
  for (std::uint32_t i = 0; i < communicator.runs; ++i) {
    const RecordRun& run = record.runs[communicator.first_run + i];
    for (Rank k = 0; k < run.count; ++k) ranks.push_back(run.first + Rank{run.stride} * k);
  }
  return ranks;
}

// Makes the list of the rank's communicators, from the entries that name them.
class Communicators {
 public:
  Communicators(const RankRecord& record, SeenRank& rank) : record_(record), rank_(rank) {}

  int index_of(std::uint32_t identity) {
    const std::uint32_t number = identity & 0xFFFF;
    if (identity == RingEntry::no_communicator || number >= record_.communicators.size()) return -1;
    if (record_.communicators[number].members_hash == 0) return -1;  // an intercommunicator, or one of those that share a number
    const auto [found, is_new] = known_.try_emplace(identity, static_cast<int>(rank_.communicators.size()));
    if (is_new) {
      const RecordCommunicator& its = record_.communicators[number];
      SeenCommunicator& seen = rank_.communicators.emplace_back();
      seen.key = {its.members_hash, identity >> 16};
      seen.name = words_of(its.name);
      seen.world_ranks = members(record_, its);
    }
    return found->second;
  }

 private:
  const RankRecord& record_;
  SeenRank& rank_;
  std::map<std::uint32_t, int> known_;
};

// The bytes to or from each rank of the communicator, by an array of counts in the process's memory.
std::vector<Bytes> listed(std::uint64_t address, std::uint32_t bytes, const CallLists& lists, const ReadMemory& read_memory) {
  if (address == 0 || bytes == 0 || lists.ranks > most_listed_ranks || (lists.number_bytes != 4 && lists.number_bytes != 8))
    return {};
  std::vector<char> memory(std::size_t{lists.ranks} * lists.number_bytes);
  if (!read_memory(address, memory.data(), memory.size())) return {};
  std::vector<Bytes> all(lists.ranks);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::int64_t count = 0;
    std::int32_t short_count = 0;
    if (lists.number_bytes == 4)
      std::memcpy(&short_count, &memory[4 * i], 4), count = short_count;
    else
      std::memcpy(&count, &memory[8 * i], 8);
    all[i] = static_cast<Bytes>(static_cast<std::uint64_t>(count) * bytes);  // of any memory, without overflow
  }
  return all;
}

// Adds the lists of the irregular collective that the rank is in. What a rank gives to all, or to the root alone, is a list, too.
void add_lists(WatchedCall& call, const RingEntry& entry, const WatchPage& page, const SeenRank& rank,
               const ReadMemory& read_memory) {
  const CallLists lists = page.lists;
  if (lists.number == 0 || lists.number != entry.number || call.communicator < 0) return;
  if (read_memory) {
    call.sent = listed(lists.sent, lists.sent_bytes, lists, read_memory);
    call.received = listed(lists.received, lists.received_bytes, lists, read_memory);
  }
  const std::size_t ranks = rank.communicators[static_cast<std::size_t>(call.communicator)].world_ranks.size();
  if (entry.bytes < 0 || ranks == 0) return;
  if (call.function == "Allgatherv") call.sent.assign(ranks, entry.bytes);
  if (call.root < 0 || static_cast<std::size_t>(call.root) >= ranks) return;
  std::vector<Bytes> with_root(ranks, 0);
  with_root[static_cast<std::size_t>(call.root)] = entry.bytes;
  if (call.function == "Gatherv") call.sent = with_root;
  if (call.function == "Scatterv") call.received = with_root;
}

WatchedCall call_of(const RingEntry& entry, const RankRecord& record, Communicators& communicators, const PlaceOf& place) {
  WatchedCall call;
  if (entry.function < record.functions.size()) call.function = record.functions[entry.function];
  call.is_collective = entry.function < static_cast<std::size_t>(Function::count);
  const auto function = static_cast<Function>(entry.function);
  call.is_blocking = call.is_collective ? !is_nonblocking(function) && !is_persistent(function)
                                        : !call.function.starts_with('I') && !call.function.ends_with("_init");
  call.has_left = entry.has_left != 0;
  call.communicator = communicators.index_of(entry.communicator);
  call.begun_ticks = entry.begin_ticks;
  call.bytes = entry.bytes;
  call.element = element_words(entry.element);
  if (call.is_collective) {
    call.number = entry.number;
    if (is_irregular_function(blocking_form(function))) call.bytes = -1;
    call.root = entry.root;
    if (entry.operation >= 0 && static_cast<std::size_t>(entry.operation) < std::size(ring_operations))
      call.operation = ring_operations[entry.operation];
  } else {
    call.number = entry.number;
    call.peer = entry.root;
    call.tag = entry.operation;
  }
  if (place) call.place = place(entry.site);
  return call;
}

}  // namespace

std::string words_of_end(int status) {
  if (WIFEXITED(status)) return fmt::format("ended with exit code {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  const char* const name = ::sigabbrev_np(signal);
  return name ? fmt::format("was ended by signal {} (SIG{})", signal, name) : fmt::format("was ended by signal {}", signal);
}

CallInProgress call_in_progress(const WatchPage& page) {
  CallInProgress found{.begun = page.collectives + page.messages};
  for (const RingEntry& each : entries_of(page)) {
    if (found.is_inside && !is_waiting(each)) continue;
    found.begin_ticks = each.begin_ticks, found.site = each.site;
    found.is_inside = is_waiting(each);
  }
  return found;
}

std::vector<LiveObjects> live_objects(const WatchPage& page, const PlaceOf& place) {
  constexpr std::array<std::string_view, LiveSite::kinds> kinds{"communicators", "types", "requests"};
  std::map<std::pair<std::string_view, std::string>, std::uint64_t> live;
  for (const LiveSite& each : page.sites)
    if (const auto kind = static_cast<std::size_t>(each.kind); each.live > 0 && kind < kinds.size())
      live[{kinds[kind], place && each.site != 0 ? place(each.site) : ""}] += each.live;
  std::vector<LiveObjects> objects;
  for (const auto& [what, count] : live) objects.push_back({std::string(what.first), what.second, count});
  return objects;
}

SeenRank seen_rank(const RankRecord& record, std::uint64_t now_ticks, const PlaceOf& place, const ReadMemory& read_memory) {
  SeenRank rank;
  rank.rank = record.header.world_rank;
  rank.host = words_of(record.header.host);
  rank.process = record.header.process;
  if (!record.watch) return rank;
  const WatchPage& page = *record.watch;
  rank.begun = page.collectives + page.messages;
  rank.live = live_objects(page, place);
  Communicators communicators(record, rank);
  const auto since = [&](std::uint64_t then) { return now_ticks > then ? record.seconds(now_ticks - then) : 0.0; };
  rank.state = SeenRank::State::computes;
  rank.since_s = since(std::max(page.left_ticks, record.header.start_ticks));
  for (const RingEntry& each : entries_of(page)) {
    WatchedCall& call = rank.calls.emplace_back(call_of(each, record, communicators, place));
    if (call.communicator >= 0 && call.is_collective) {
      SeenCommunicator& its = rank.communicators[static_cast<std::size_t>(call.communicator)];
      its.calls = std::max(its.calls, call.number);
    }
    if (!is_waiting(each)) continue;
    rank.state = SeenRank::State::in_call;
    rank.since_s = since(each.begin_ticks);
    add_lists(call, each, page, rank, read_memory);
  }
  if (page.is_finalising || record.has_ended()) {
    rank.state = SeenRank::State::finalised;
    rank.calls.push_back({.function = "Finalize", .is_collective = false, .place = place ? place(page.finalize_site) : ""});
  }
  if (!record.has_ended() && page.end != 0) {
    rank.state = SeenRank::State::died;
    rank.end = words_of_end(static_cast<int>(page.end - 1));
  }
  return rank;
}

void add_process(SeenRank& rank) {
  if (rank.state == SeenRank::State::died || rank.host != host_name()) return;
  const std::string directory = fmt::format("/proc/{}", rank.process);
  const auto process = process_stat(directory);
  if (!process || process->state == 'Z' || process->state == 'X') {
    if (rank.state != SeenRank::State::finalised) rank.state = SeenRank::State::died;
    if (rank.state == SeenRank::State::died) rank.end = "ended without MPI_Finalize";
    return;
  }
  if (process->state == 'T' || process->state == 't') {
    rank.state = SeenRank::State::stopped;
  } else if (rank.state == SeenRank::State::computes && (process->state == 'S' || process->state == 'D')) {
    rank.state = SeenRank::State::sleeps;
    rank.waits_in = beginning_of(directory + "/wchan", 64);
    if (rank.waits_in == "0") rank.waits_in.clear();
  }
}

}  // namespace quadrille::mpi_face

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

// Translates the calls of one rank.
class RecordReading {
 public:
  RecordReading(const RankRecord& record, const PlaceOf& place, const ReadMemory& read_memory, SeenRank& rank)
      : record_(record), place_of_(place), read_memory_(read_memory), rank_(rank) {
    for (const Counters& each : record.counters) {
      auto& [ticks, calls] = times_[{each.function, each.communicator}];
      ticks += each.ours_ticks + each.passed_ticks, calls += each.ours_calls + each.passed_calls;
    }
  }

  std::string place(std::uint64_t address) const { return place_of_ ? place_of_(address) : ""; }

  WatchedCall& add(const RingEntry& entry) {
    WatchedCall& call = rank_.calls.emplace_back();
    const auto function = static_cast<Function>(entry.function);
    if (entry.function < record_.functions.size()) call.function = record_.functions[entry.function];
    call.has_left = entry.has_left != 0;
    call.communicator = index_of(entry.communicator);
    call.number = entry.number;
    call.begun_ticks = entry.begin_ticks;
    call.bytes = entry.bytes;
    call.element = element_words(entry.element);
    call.place = place(entry.site);
    call.is_collective = entry.function < static_cast<std::size_t>(Function::count);
    if (!call.is_collective) {
      call.is_blocking = !call.function.starts_with('I') && !call.function.ends_with("_init");
      call.peer = entry.root;
      call.tag = entry.operation;
      return call;
    }
    call.is_blocking = !is_nonblocking(function) && !is_persistent(function);
    call.root = entry.root;
    if (entry.operation >= 0 && static_cast<std::size_t>(entry.operation) < std::size(ring_operations))
      call.operation = ring_operations[entry.operation];
    if (is_irregular_function(blocking_form(function))) call.bytes = -1;
    if (call.communicator < 0) return call;
    SeenCommunicator& its = rank_.communicators[static_cast<std::size_t>(call.communicator)];
    its.calls = std::max(its.calls, call.number);
    const auto [ticks, calls] = times_[{entry.function, static_cast<std::int32_t>(entry.communicator & 0xFFFF)}];
    if (call.is_blocking && calls > 0) call.usual_s = record_.seconds(ticks) / static_cast<double>(calls);
    return call;
  }

  // Adds the lists of the irregular collective that the rank is in. What a rank gives to all, or to the root alone, is a list, too.
  void add_lists(WatchedCall& call, const RingEntry& entry) const {
    const CallLists& lists = record_.watch->lists;
    if (lists.number == 0 || lists.number != entry.number || call.communicator < 0) return;
    call.sent = listed(lists.sent, lists.sent_bytes);
    call.received = listed(lists.received, lists.received_bytes);
    if (entry.bytes < 0) return;
    if (call.function == "Allgatherv" || call.function == "Gatherv") call.sent = {entry.bytes};
    if (call.function == "Scatterv") call.received = {entry.bytes};
  }

 private:
  // The rank's communicators are those that its calls name.
  int index_of(std::uint32_t identity) {
    const std::uint32_t number = identity & 0xFFFF;
    if (identity == RingEntry::no_communicator || number >= record_.communicators.size()) return -1;
    const RecordCommunicator& its = record_.communicators[number];
    if (its.members_hash == 0) return -1;  // an intercommunicator, or one of those that share a number
    const auto [found, is_new] = known_.try_emplace(identity, static_cast<int>(rank_.communicators.size()));
    if (!is_new) return found->second;
    SeenCommunicator& seen = rank_.communicators.emplace_back();
    seen.key = {its.members_hash, identity >> 16};
    seen.name = words_of(its.name);
    for (std::uint32_t i = 0; i < its.runs; ++i) {
      const RecordRun& run = record_.runs[its.first_run + i];
      for (Rank k = 0; k < run.count; ++k) seen.world_ranks.push_back(run.first + Rank{run.stride} * k);
    }
    return found->second;
  }

  // The bytes to or from each rank of the communicator, by an array of counts in the process's memory.
  std::vector<Bytes> listed(std::uint64_t address, std::uint32_t bytes) const {
    const CallLists& lists = record_.watch->lists;
    const std::uint64_t each = lists.number_bytes;
    if (!read_memory_ || address == 0 || bytes == 0 || lists.ranks > most_listed_ranks || (each != 4 && each != 8)) return {};
    std::vector<char> memory(lists.ranks * each);
    if (!read_memory_(address, memory.data(), memory.size())) return {};
    std::vector<Bytes> all;
    for (std::size_t at = 0; at < memory.size(); at += each) {
      std::int64_t count = 0;
      std::int32_t short_count = 0;
      std::memcpy(each == 4 ? static_cast<void*>(&short_count) : &count, &memory[at], each);
      all.push_back(static_cast<Bytes>(static_cast<std::uint64_t>(count + short_count) * bytes));  // any values may be there
    }
    return all;
  }

  const RankRecord& record_;
  const PlaceOf& place_of_;
  const ReadMemory& read_memory_;
  SeenRank& rank_;
  std::map<std::uint32_t, int> known_;
  // For each function and communicator: ticks and calls.
  std::map<std::pair<std::int32_t, std::int32_t>, std::pair<std::uint64_t, std::uint64_t>> times_;
};

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
    if (found.is_inside && each.has_left) continue;
    found.begin_ticks = each.begin_ticks, found.site = each.site;
    found.is_inside = !each.has_left;
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
  RecordReading reading(record, place, read_memory, rank);
  const auto since = [&](std::uint64_t then) { return now_ticks > then ? record.seconds(now_ticks - then) : 0.0; };
  rank.state = SeenRank::State::computes;
  rank.since_s = since(std::max(page.left_ticks, record.header.start_ticks));
  for (const RingEntry& each : entries_of(page)) {
    WatchedCall& call = reading.add(each);
    if (each.has_left) continue;
    call.is_nested = rank.state == SeenRank::State::in_call && words_of(record.header.thread_level) != "multiple";
    rank.state = SeenRank::State::in_call;
    rank.since_s = since(each.begin_ticks);
    reading.add_lists(call, each);
  }
  if (page.is_finalising || record.has_ended()) {
    rank.state = SeenRank::State::finalised;
    rank.calls.push_back({.function = "Finalize", .is_collective = false, .place = reading.place(page.finalize_site)});
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

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/report/record.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "foundation/hash.hpp"
#include "foundation/system/files.hpp"
#include "foundation/system/proc.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"
#include "quadrille/version.hpp"
#include "recording/rank_file.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::uint32_t most_functions = 256, most_reasons = 256, most_runs = 1 << 17;
constexpr std::uint32_t index_size = 4 * Record::most_counters;
constexpr std::uint64_t chunk = 1 << 16;  // bytes of the file for which disk space is reserved at a time
constexpr std::string_view no_reason = "other reasons";

constexpr recording::RankFileWords words{"the counters", "is not a file of counters; choose another name",
                                         "choose another name for the report"};

Descriptor new_record_file(const std::string& path, std::uint64_t bytes) {
  Descriptor file = recording::new_rank_file(words, path, {record_magic, sizeof record_magic});
  if (const auto most = recording::longest_file(); most < bytes) {
    ::unlink(path.c_str());
    recording::fail_to_make(words, path, fmt::format("it takes {} bytes, and files may have {} (ulimit -f)", bytes, most));
  }
  if (::ftruncate(file.number(), static_cast<off_t>(bytes)) != 0) {
    const int error = errno;
    ::unlink(path.c_str());
    recording::fail_to_make(words, path, std::strerror(error));
  }
  return file;
}

// Maps the file; if there is no file, maps memory.
std::byte* map_record(const Descriptor& file, std::uint64_t bytes, const std::string& path) {
  if (void* const memory = recording::mapped(file, 0, bytes)) return static_cast<std::byte*>(memory);
  const int error = errno;
  if (file.number() < 0)
    throw Error(ErrorCode::environment, fmt::format("memory for counters cannot be allocated: {}", std::strerror(error)));
  ::unlink(path.c_str());
  recording::fail_to_make(words, path, std::strerror(error));
}

std::int64_t unix_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Updates the number of used items after the items themselves (release), so that a reader of a killed rank's file sees only
// complete items.
void set_used(RecordPart& part, std::uint32_t used) noexcept { std::atomic_ref(part.used).store(used, std::memory_order_release); }

RecordHeader header_for(const RecordOptions& options) {
  RecordHeader header{};
  std::memcpy(header.magic, record_magic, sizeof record_magic);
  header.version = record_version;
  header.byte_order = record_byte_order;
  header.header_bytes = sizeof(RecordHeader);
  header.function_bytes = sizeof(RecordFunction);
  header.reason_bytes = sizeof(RecordReason);
  header.communicator_bytes = sizeof(RecordCommunicator);
  header.run_bytes = sizeof(RecordRun);
  header.counters_bytes = sizeof(Counters);
  const auto functions = static_cast<std::uint32_t>(options.functions.size());
  header.functions.room = functions;
  header.reasons.room = most_reasons;
  header.communicators.room = Record::most_communicators;
  header.runs.room = most_runs;
  header.counters.room = functions + Record::most_counters;
  header.traffic = static_cast<std::uint64_t>(options.world_size);
  header.watch.room = header.watch.used = options.is_watched;
  header.file_bytes = RecordPlaces(header).end;
  header.run = options.run;
  header.world_rank = options.world_rank;
  header.world_size = options.world_size;
  header.process = ::getpid();
  header.sees_messages = options.sees_messages;
  set_words(header.program, options.program);
  set_words(header.mpi, options.mpi);
  set_words(header.thread_level, options.thread_level);
  set_words(header.version_text, version());
  set_words(header.host, host_name());
  return header;
}

const RecordOptions& checked(const RecordOptions& options) {
  if (options.world_rank < 0 || options.world_rank >= options.world_size || options.world_size > most_world_size)
    throw Error(ErrorCode::misuse, fmt::format("rank {} is not one of {}, so it cannot have counters", options.world_rank,
                                               counted(options.world_size, "rank")));
  if (options.functions.empty() || options.functions.size() > most_functions)
    throw Error(ErrorCode::misuse, fmt::format("counters are for 1 to {} functions", most_functions));
  return options;
}

// Compresses the members of a communicator to runs of equal stride. Empty if some are of another world.
std::vector<RecordRun> runs_of(std::span<const Rank> ranks) {
  std::vector<RecordRun> runs;
  for (const Rank rank : ranks) {
    if (rank < 0 || rank >= most_world_size) return {};
    const auto here = static_cast<std::int32_t>(rank);
    if (!runs.empty() && runs.back().count == 1) runs.back().stride = here - runs.back().first;
    if (!runs.empty() && here == std::int64_t{runs.back().first} + std::int64_t{runs.back().stride} * runs.back().count)
      ++runs.back().count;
    else
      runs.push_back({here, 1, 1});
  }
  return runs;
}

std::uint64_t hash_of(std::span<const RecordRun> runs) noexcept {
  std::uint64_t hash = runs.size();
  for (const RecordRun& run : runs)
    for (const std::int32_t part : {run.first, run.stride, run.count}) hash = mixed(hash + static_cast<std::uint32_t>(part));
  return hash;
}

}  // namespace

void add_sample(TickSamples& samples, std::uint64_t ticks) noexcept {
  const std::uint64_t count = std::atomic_ref(samples.count).load(std::memory_order_relaxed);
  std::atomic_ref(samples.ticks[count % TickSamples::kept]).store(ticks, std::memory_order_relaxed);
  std::atomic_ref(samples.count).store(count + 1, std::memory_order_release);
}

Record::Record(const RecordOptions& options)
    : path_(options.path),
      places_(header_for(checked(options))),
      start_(options.start.value_or(TickMoment::now())),
      index_(index_size) {
  RecordHeader header = header_for(options);
  backed_.resize(places_.end / chunk + 1);
  if (!path_.empty()) file_ = new_record_file(path_, places_.end);
  memory_ = map_record(file_, places_.end, path_);
  header_ = part<RecordHeader>(0);
  // These parts must exist even if the disk is full: the tables of names, and for each function the entry of its other calls.
  if (!is_backed(0, places_.runs) || !is_backed(places_.counters, places_.counters + header.functions.room * sizeof(Counters)) ||
      !is_backed(places_.watch, places_.end)) {
    ::munmap(memory_, places_.end);
    ::unlink(path_.c_str());
    throw Error(ErrorCode::environment, fmt::format("the counters '{}' cannot be written: the disk is full", path_));
  }
  for (std::uint32_t i = 0; i < header.functions.room; ++i) {
    set_words(part<RecordFunction>(places_.functions)[i].name, options.functions[i]);
    Counters& all_others = others(static_cast<int>(i));
    all_others.function = static_cast<std::int32_t>(i);
    all_others.communicator = -1;
    all_others.is_others = 1;
  }
  set_words(part<RecordReason>(places_.reasons)[0].text, no_reason);
  header.functions.used = header.counters.used = header.functions.room;
  header.reasons.used = 1;
  if (options.is_watched) ring_ = CallRing(part<WatchPage>(places_.watch), options.has_threads);
  header.start_unix_ns = unix_ns() - (TickMoment::now().monotonic_ns - start_.monotonic_ns);
  header.start_ticks = header.in_since = start_.ticks;
  *header_ = header;
  // This first estimate of the tick rate, accurate to about 1 %, counts if the rank dies before the next calibration.
  while (TickMoment::now().monotonic_ns - start_.monotonic_ns < 20'000) {}
  calibrate();
}

Record::~Record() { ::munmap(memory_, places_.end); }

// Reserves disk space for a part of the file before it is written. A store to mapped memory without disk space would kill the
// program (SIGBUS).
bool Record::is_backed(std::uint64_t begin, std::uint64_t end) noexcept {
  if (file_.number() < 0) return true;
  for (std::uint64_t i = begin / chunk; i * chunk < end; ++i) {
    if (backed_[i]) continue;
    const std::uint64_t length = std::min(chunk, places_.end - i * chunk);
    if (!recording::reserve(file_, i * chunk, length)) return false;
    backed_[i] = true;
  }
  return true;
}

int Record::add_communicator(std::string_view name, std::span<const Rank> world_ranks) noexcept try {
  const std::vector<RecordRun> runs = runs_of(world_ranks);
  const std::uint64_t hash = hash_of(runs);
  const auto ranks = static_cast<Count>(world_ranks.size());
  const std::lock_guard lock(mutex_);
  if (const int again = same_freed(name, runs, hash); again >= 0) return again;
  const std::uint32_t next = header_->communicators.used;
  if (next >= own_communicators || !is_backed(places_.runs, places_.runs + (header_->runs.used + runs.size()) * sizeof(RecordRun)))
    return shared_communicator(ranks);
  write_runs(part<RecordCommunicator>(places_.communicators)[next], runs, hash);
  return write_communicator(next, name, ranks, false);
} catch (...) {  // no memory for the runs
  const std::lock_guard lock(mutex_);
  return shared_communicator(static_cast<Count>(world_ranks.size()));
}

int Record::same_freed(std::string_view name, std::span<const RecordRun> runs, std::uint64_t hash) noexcept {
  if (runs.empty()) return -1;
  for (std::uint32_t i = 0; i < header_->communicators.used; ++i) {
    RecordCommunicator& each = part<RecordCommunicator>(places_.communicators)[i];
    const RecordRun* const its = part<RecordRun>(places_.runs) + each.first_run;
    if (!each.is_freed || each.members_hash != hash || words_of(each.name) != name.substr(0, sizeof each.name - 1) ||
        each.runs != runs.size() || !std::equal(runs.begin(), runs.end(), its))
      continue;
    each.is_freed = 0;
    ++each.made;
    return static_cast<int>(i);
  }
  return -1;
}

// Communicators with the same members share their runs.
void Record::write_runs(RecordCommunicator& communicator, std::span<const RecordRun> runs, std::uint64_t hash) noexcept {
  communicator.members_hash = hash;
  communicator.runs = static_cast<std::uint32_t>(runs.size());
  RecordRun* const all = part<RecordRun>(places_.runs);
  for (std::uint32_t i = 0; i < header_->communicators.used; ++i) {
    const RecordCommunicator& each = part<RecordCommunicator>(places_.communicators)[i];
    if (each.members_hash != hash || each.runs != runs.size() || !std::equal(runs.begin(), runs.end(), all + each.first_run))
      continue;
    communicator.first_run = each.first_run;
    return;
  }
  communicator.first_run = header_->runs.used;
  if (runs.size() > header_->runs.room - header_->runs.used) communicator.runs = 0;  // too many runs: these members are not kept
  std::copy_n(runs.begin(), communicator.runs, all + communicator.first_run);
  set_used(header_->runs, header_->runs.used + communicator.runs);
}

int Record::shared_communicator(Count ranks) noexcept {
  RecordCommunicator* const all = part<RecordCommunicator>(places_.communicators);
  const std::uint32_t used = header_->communicators.used;
  for (std::uint32_t i = 0; i < used; ++i)
    if (all[i].is_shared && (all[i].ranks == ranks || i + 1 == most_communicators)) {
      ++all[i].made;
      return static_cast<int>(i);
    }
  if (used + 1 == most_communicators) return write_communicator(used, {}, 0, true);
  return write_communicator(used, {}, ranks, true);
}

int Record::write_communicator(std::uint32_t id, std::string_view name, Count ranks, bool is_shared) noexcept {
  RecordCommunicator& communicator = part<RecordCommunicator>(places_.communicators)[id];
  set_words(communicator.name, name);
  communicator.ranks = ranks;
  communicator.made = 1;
  communicator.is_shared = is_shared;
  set_used(header_->communicators, id + 1);
  return static_cast<int>(id);
}

void Record::rename_communicator(int communicator, std::string_view name) noexcept {
  const std::lock_guard lock(mutex_);
  if (communicator < 0 || static_cast<std::uint32_t>(communicator) >= header_->communicators.used) return;
  RecordCommunicator& each = part<RecordCommunicator>(places_.communicators)[communicator];
  if (!each.is_shared) set_words(each.name, name);
}

void Record::free_communicator(int communicator) noexcept {
  const std::lock_guard lock(mutex_);
  if (communicator < 0 || static_cast<std::uint32_t>(communicator) >= header_->communicators.used) return;
  RecordCommunicator& each = part<RecordCommunicator>(places_.communicators)[communicator];
  if (!each.is_shared) each.is_freed = 1;
}

std::uint64_t Record::members_hash(int communicator) const noexcept {
  return part<RecordCommunicator>(places_.communicators)[communicator].members_hash;
}

Counters& Record::counters(int function, int communicator, Bytes block_bytes) noexcept {
  const std::uint32_t size_class = size_class_of(block_bytes);
  Counters* const all = part<Counters>(places_.counters);
  const auto matches = [&](const Counters& each) {
    return each.function == function && each.communicator == communicator && each.size_class == size_class;
  };
  const std::lock_guard lock(mutex_);
  std::uint64_t place =
      mixed((static_cast<std::uint64_t>(communicator) << 32 | static_cast<std::uint64_t>(function) << 8) + size_class);
  for (;; ++place) {
    std::uint32_t& entry = index_[place % index_size];
    if (entry != 0 && matches(all[entry])) return all[entry];
    if (entry != 0) continue;
    const std::uint32_t next = header_->counters.used;
    const std::uint64_t begin = places_.counters + next * sizeof(Counters);
    if (next == header_->counters.room || !is_backed(begin, begin + sizeof(Counters))) return others(function);
    all[next].function = function;
    all[next].communicator = communicator;
    all[next].size_class = size_class;
    entry = next;
    set_used(header_->counters, next + 1);
    calibrate();
    return all[next];
  }
}

PassedCalls& Record::reason(Counters& counters, std::string_view why) noexcept {
  RecordReason* const reasons = part<RecordReason>(places_.reasons);
  why = why.substr(0, sizeof reasons[0].text - 1);
  const std::lock_guard lock(mutex_);
  std::uint32_t number = 0;
  while (number < header_->reasons.used && words_of(reasons[number].text) != why) ++number;
  if (number == header_->reasons.used) {
    if (number == header_->reasons.room) {
      number = 0;
    } else {
      set_words(reasons[number].text, why);
      set_used(header_->reasons, number + 1);
    }
  }
  PassedCalls& last = *std::prev(std::end(counters.passed));
  for (PassedCalls& each : counters.passed) {
    if (&each == &last) break;
    if (each.is_used && each.reason == number) return each;
    if (each.is_used) continue;
    each.reason = number;
    each.is_used = 1;
    return each;
  }
  last.is_used = 1;
  return last;
}

// The new call takes the place of the least costly one. If another thread is changing the list, the new call is not kept.
void Record::keep(const CostlyCall& call) noexcept {
  if (is_keeping_.test_and_set(std::memory_order_acquire)) return;
  CostlyCall(&all)[RecordHeader::costly_calls] = header_->costliest;
  all[least_costly_] = call;
  for (std::size_t i = 0; i < RecordHeader::costly_calls; ++i)
    if (all[i].ticks < all[least_costly_].ticks) least_costly_ = i;
  store(header_->costly_ticks, all[least_costly_].ticks);
  is_keeping_.clear(std::memory_order_release);
}

void Record::describe(Counters& counters, std::string_view what, std::string_view why) noexcept {
  const std::lock_guard lock(mutex_);
  set_words(counters.what, what);
  set_words(counters.why, why);
}

std::uint64_t* Record::traffic() noexcept {
  const std::lock_guard lock(mutex_);
  if (homeless_traffic_.empty() && is_backed(places_.traffic, places_.watch)) return part<std::uint64_t>(places_.traffic);
  homeless_traffic_.resize(header_->traffic);
  return homeless_traffic_.data();
}

void Record::describe_heap(Bytes most_bytes, std::uint64_t lent, std::string_view why_none) noexcept {
  header_->heap_bytes = static_cast<std::uint64_t>(most_bytes);
  header_->lent = lent;
  set_words(header_->why_no_heap, why_none);
}

void Record::calibrate() noexcept {
  const TickMoment now = TickMoment::now();
  const double rate = tick_rate(start_, now);
  if (rate <= 0) return;
  header_->ticks_per_second = rate;
  store(header_->last_ticks, now.ticks);
}

void Record::end() noexcept {
  if (header_->process != ::getpid()) return;
  calibrate();
  leave();
  header_->end_unix_ns = unix_ns();
  std::atomic_thread_fence(std::memory_order_release);
}

std::string Record::packed() const {
  RecordHeader header = *header_;
  for (RecordPart* part : {&header.functions, &header.reasons, &header.communicators, &header.runs, &header.counters})
    part->room = part->used;
  header.watch = {};
  const RecordPlaces to(header);
  header.file_bytes = to.end;
  std::string bytes(to.end, '\0');
  const auto take = [&](std::uint64_t target, std::uint64_t source, std::uint64_t length) {
    std::memcpy(bytes.data() + target, memory_ + source, length);
  };
  std::memcpy(bytes.data(), &header, sizeof header);
  take(to.functions, places_.functions, header.functions.used * sizeof(RecordFunction));
  take(to.reasons, places_.reasons, header.reasons.used * sizeof(RecordReason));
  take(to.communicators, places_.communicators, header.communicators.used * sizeof(RecordCommunicator));
  take(to.runs, places_.runs, header.runs.used * sizeof(RecordRun));
  take(to.counters, places_.counters, header.counters.used * sizeof(Counters));
  if (homeless_traffic_.empty())
    take(to.traffic, places_.traffic, header.traffic * sizeof(std::uint64_t));
  else
    std::memcpy(bytes.data() + to.traffic, homeless_traffic_.data(), header.traffic * sizeof(std::uint64_t));
  return bytes;
}

}  // namespace quadrille::mpi_face

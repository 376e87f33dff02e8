// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/report/record_read.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "foundation/system/files.hpp"
#include "mpi_face/report/record.hpp"
#include "mpi_face/report/record_layout.hpp"
#include "quadrille/error.hpp"

namespace quadrille::mpi_face {
namespace {

// Limits that no valid file exceeds.
constexpr std::uint32_t most_names = 4096, record_read_most_runs = 1 << 20, most_counters = 1 << 16;
constexpr std::uint64_t most_runs_walked = 1 << 22;

Descriptor open_to_read(const std::string& path) {
  // O_NONBLOCK: opening a pipe must not block.
  return Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

// A file that is read in parts.
class Source {
 public:
  explicit Source(const std::string& path) : path_(path), file_(open_to_read(path)) {
    struct stat status {};
    if (file_.number() < 0 || ::fstat(file_.number(), &status) != 0) unreadable();
    if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::malformed, fmt::format("'{}' is not a file of counters", path_));
    bytes_ = static_cast<std::uint64_t>(status.st_size);
  }

  [[noreturn]] void damaged(const std::string& reason) const {
    throw Error(ErrorCode::malformed, fmt::format("the counters '{}' are damaged: {}", path_, reason));
  }

  int file() const { return file_.number(); }
  std::uint64_t bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

  void read(void* place, std::uint64_t length, std::uint64_t from) const {
    if (from > bytes_ || length > bytes_ - from) damaged("the file is cut off");
    for (std::uint64_t done = 0; done < length;) {
      const ssize_t got = ::pread(file(), static_cast<char*>(place) + done, length - done, static_cast<off_t>(from + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) unreadable();
      if (got == 0) damaged("the file is cut off");
      done += static_cast<std::uint64_t>(got);
    }
  }

  template <class Item>
  std::vector<Item> items(std::uint64_t from, const RecordPart& part) const {
    if (part.used * sizeof(Item) > bytes_) damaged("the file is cut off");
    std::vector<Item> all(part.used);
    read(all.data(), part.used * sizeof(Item), from);
    return all;
  }

 private:
  [[noreturn]] void unreadable() const {
    throw Error(ErrorCode::environment, fmt::format("the counters '{}' cannot be read: {}", path_, std::strerror(errno)));
  }

  std::string path_;
  Descriptor file_;
  std::uint64_t bytes_ = 0;
};

void check_sizes(const Source& source, const RecordHeader& header) {
  if (header.byte_order != record_byte_order) source.damaged("its numbers have another byte order than this machine's");
  if (header.version != record_version)
    throw Error(ErrorCode::malformed, fmt::format("the counters '{}' have version {}, and this quadrille reads version {}",
                                                  source.path(), header.version, record_version));
  if (header.header_bytes != sizeof(RecordHeader) || header.function_bytes != sizeof(RecordFunction) ||
      header.reason_bytes != sizeof(RecordReason) || header.communicator_bytes != sizeof(RecordCommunicator) ||
      header.run_bytes != sizeof(RecordRun) || header.counters_bytes != sizeof(Counters))
    source.damaged("its parts do not have the sizes of this version");
  const auto fits = [](const RecordPart& part, std::uint32_t most) { return part.used <= part.room && part.room <= most; };
  if (!fits(header.functions, most_names) || !fits(header.reasons, most_names) || !fits(header.communicators, most_names) ||
      !fits(header.runs, record_read_most_runs) || !fits(header.counters, most_counters) || !fits(header.watch, 1) ||
      header.functions.used == 0)
    source.damaged("a table has an impossible length");
  if (header.world_size < 1 || header.world_size > most_world_size || header.world_rank < 0 ||
      header.world_rank >= header.world_size)
    source.damaged("its rank is not a rank of its world");
  if (header.traffic != 0 && header.traffic != static_cast<std::uint64_t>(header.world_size))
    source.damaged("its traffic row does not have one entry for each rank");
  if (RecordPlaces(header).end != header.file_bytes) source.damaged("its parts do not add up");
  if (source.bytes() < header.file_bytes) source.damaged("the file is cut off");
  if (!std::isfinite(header.ticks_per_second) || header.ticks_per_second < 1e3 || header.ticks_per_second > 1e13)
    source.damaged("its clock has an impossible rate");
}

template <std::size_t length>
std::string checked_words(const char (&place)[length]) {
  return std::string(words_of(place));
}

// Makes sure that the text in an array ends with a zero.
template <std::size_t length>
void end_words(char (&place)[length]) {
  place[length - 1] = '\0';
}

RecordHeader read_header(const Source& source) {
  RecordHeader header{};
  if (source.bytes() < sizeof header) {
    char magic[sizeof record_magic] = {};
    source.read(magic, std::min<std::uint64_t>(sizeof magic, source.bytes()), 0);
    if (std::memcmp(magic, record_magic, sizeof magic) == 0) source.damaged("the file is cut off");
  } else {
    source.read(&header, sizeof header, 0);
  }
  if (std::memcmp(header.magic, record_magic, sizeof record_magic) != 0)
    throw Error(ErrorCode::malformed, fmt::format("'{}' is not a file of counters", source.path()));
  check_sizes(source, header);
  end_words(header.program);
  end_words(header.mpi);
  end_words(header.version_text);
  end_words(header.thread_level);
  end_words(header.host);
  end_words(header.why_no_heap);
  return header;
}

// Checks the communicators. If the runs of a communicator do not have as many members as it has ranks, its members count as
// unknown.
void check_communicators(const Source& source, RankRecord& record) {
  std::uint64_t walked = 0;
  for (RecordCommunicator& each : record.communicators) {
    end_words(each.name);
    if (each.ranks < 0 || each.ranks > most_world_size) source.damaged("a communicator has an impossible number of ranks");
    if (each.first_run > record.runs.size() || each.runs > record.runs.size() - each.first_run)
      source.damaged("the members of a communicator lie outside the file");
    walked += each.runs;
    if (walked > most_runs_walked) source.damaged("its communicators have too many members");
    std::int64_t members = 0;
    for (std::uint32_t i = 0; i < each.runs; ++i) {
      const RecordRun& run = record.runs[each.first_run + i];
      const std::int64_t last = run.first + std::int64_t{run.stride} * (run.count - std::int64_t{1});
      if (run.count < 1 || run.first < 0 || run.first >= record.header.world_size || last < 0 || last >= record.header.world_size)
        source.damaged("a member of a communicator is not a rank of the world");
      members += run.count;
    }
    if (members != each.ranks || members > record.header.world_size) each.runs = 0;
  }
}

void check_counters(const Source& source, RankRecord& record) {
  for (Counters& each : record.counters) {
    end_words(each.what);
    end_words(each.why);
    if (each.function < 0 || static_cast<std::size_t>(each.function) >= record.functions.size())
      source.damaged("counters belong to an unknown function");
    if (each.communicator < -1 || each.communicator >= static_cast<std::int64_t>(record.communicators.size()))
      source.damaged("counters belong to an unknown communicator");
    if (each.size_class >= size_classes) source.damaged("counters have an impossible size class");
    for (const PassedCalls& passed : each.passed)
      if (passed.reason >= record.reasons.size()) source.damaged("the text of a reason is missing");
  }
}

// Takes the calls with possible values: the rank may be writing a call while we read it.
void take_costliest(RankRecord& record) {
  const RecordHeader& header = record.header;
  for (const CostlyCall& call : header.costliest) {
    const bool is_known = call.function >= 0 && static_cast<std::size_t>(call.function) < record.functions.size() &&
                          call.communicator >= -1 && call.communicator < static_cast<std::int64_t>(record.communicators.size());
    if (call.ticks > 0 && call.begin_ticks >= header.start_ticks && is_known) record.costliest.push_back(call);
  }
  std::sort(record.costliest.begin(), record.costliest.end(),
            [](const CostlyCall& a, const CostlyCall& b) { return a.begin_ticks < b.begin_ticks; });
}

void read_traffic(const Source& source, std::uint64_t from, RankRecord& record) {
  std::array<std::uint64_t, 4096> row;
  for (std::uint64_t begin = 0; begin < record.header.traffic; begin += row.size()) {
    const std::uint64_t count = std::min<std::uint64_t>(row.size(), record.header.traffic - begin);
    source.read(row.data(), count * sizeof row[0], from + begin * sizeof row[0]);
    for (std::uint64_t i = 0; i < count; ++i)
      if (row[i] != 0) record.traffic.emplace_back(static_cast<Rank>(begin + i), row[i]);
  }
}

// The last calls. The rank may write them while they are read: an entry that has changed at a second look may be mixed, so it
// counts as not written.
WatchPage read_watch_page(const Source& source, std::uint64_t from) {
  WatchPage page, later;
  source.read(&page, sizeof page, from);
  source.read(&later, sizeof later, from);
  const auto drop_changed = [](auto& ring, const auto& again) {
    for (std::size_t i = 0; i < std::size(ring); ++i)
      if (ring[i].sequence != again[i].sequence) ring[i].sequence = 0;
  };
  drop_changed(page.last_collectives, later.last_collectives);
  drop_changed(page.last_messages, later.last_messages);
  return page;
}

RankRecord read_all(const Source& source, bool only_watched) {
  RankRecord record;
  record.path = source.path();
  record.header = read_header(source);
  const RecordHeader& header = record.header;
  const RecordPlaces places(header);
  for (const RecordFunction& each : source.items<RecordFunction>(places.functions, header.functions))
    record.functions.push_back(checked_words(each.name));
  record.communicators = source.items<RecordCommunicator>(places.communicators, header.communicators);
  record.runs = source.items<RecordRun>(places.runs, header.runs);
  check_communicators(source, record);
  if (header.watch.used > 0) record.watch = read_watch_page(source, places.watch);
  record.counters = source.items<Counters>(places.counters, header.counters);
  if (only_watched) return record;
  for (const RecordReason& each : source.items<RecordReason>(places.reasons, header.reasons))
    record.reasons.push_back(checked_words(each.text));
  if (record.reasons.empty()) record.reasons.emplace_back("other reasons");
  check_counters(source, record);
  take_costliest(record);
  read_traffic(source, places.traffic, record);
  // The call that the rank is in is written while we read, so any value is possible.
  const std::uint64_t function = header.in_call & 0xFFFFFFFFu, communicator = header.in_call >> 32;
  const bool is_known = communicator < record.communicators.size() || communicator == 0xFFFFFFFFu;
  if (function == 0 || function > record.functions.size() || !is_known) record.header.in_call = 0;
  return record;
}

}  // namespace

namespace {

RankRecord read(const std::string& path, bool only_watched) {
  const Source source(path);
  const bool is_running = is_being_written(source.file());  // asked before reading, because the rank may end meanwhile
  RankRecord record = read_all(source, only_watched);
  record.is_running = is_running && !record.has_ended();
  return record;
}

}  // namespace

RankRecord read_record(const std::string& path) { return read(path, false); }
RankRecord read_watched_record(const std::string& path) { return read(path, true); }

bool looks_like_record(const std::string& path) {
  const Descriptor file = open_to_read(path);
  char magic[sizeof record_magic] = {};
  return file.number() >= 0 && ::pread(file.number(), magic, sizeof magic, 0) == sizeof magic &&
         std::memcmp(magic, record_magic, sizeof magic) == 0;
}

}  // namespace quadrille::mpi_face

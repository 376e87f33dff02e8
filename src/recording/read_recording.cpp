// SPDX-License-Identifier: BSD-3-Clause
// Reads the files and the logs of all ranks, and lets the ranks share communicators and sites.
#include "recording/read_recording.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include "foundation/hash.hpp"
#include "foundation/system/files.hpp"
#include "foundation/text/parsing.hpp"
#include "foundation/text/printable.hpp"
#include "quadrille/error.hpp"
#include "quadrille/recording.hpp"
#include "recording/call_model.hpp"
#include "recording/definitions.hpp"
#include "recording/live_log.hpp"
#include "recording/recorded_calls.hpp"

namespace quadrille::recording {
namespace {

constexpr std::size_t checksum_bytes = 8;

void write_seconds(ByteWriter& to, double seconds) {
  to.number(static_cast<std::uint64_t>(std::llround(std::clamp(seconds, 0.0, 4e9) * 1e9)));
}
double read_seconds(ByteReader& from) { return static_cast<double>(from.count()) * 1e-9; }

// An entry takes at least 0.03 bits, and repeats at most 64 times. So a reader of a damaged file comes to its end.
Count most_calls_in(std::size_t bytes) { return Count{longest_group * most_repetitions} + 20'000 * static_cast<Count>(bytes); }

constexpr std::size_t most_mebibytes_of_sites = 1024;

[[noreturn]] void fail(const char* what) { throw Error(ErrorCode::malformed, what); }
[[noreturn]] void fail(const std::string& path, int error) {
  throw Error(ErrorCode::environment, fmt::format("its log '{}' cannot be read: {}", path, std::strerror(error)));
}

// Reads records until the end, or the first one that is not complete: the rank was killed while it wrote that one.
void read_records(std::string_view bytes, RankContents& contents) {
  const std::string_view magic(live_magic, std::strlen(live_magic));
  if (!bytes.starts_with(magic)) fail("its sites are not those of a recording");
  bytes.remove_prefix(magic.size());
  std::uint64_t members_left = most_members;
  bool has_facts = false;
  while (!bytes.empty()) {
    const char letter = bytes.front();
    ByteReader length(bytes.substr(1));
    std::string_view rest;
    try {
      rest = length.text();
    } catch (const Error&) {
      break;
    }
    ByteReader from(rest);
    bytes.remove_prefix(static_cast<std::size_t>(rest.data() + rest.size() - bytes.data()));
    if (has_facts != (letter != facts_record)) fail("its sites are damaged");
    if (letter == facts_record) {
      contents.facts = read_facts(from);
      has_facts = true;
    } else if (letter == functions_record) {
      for (std::size_t left = from.items(); left > 0; --left) contents.recorded.functions.push_back({printable(from.text())});
    } else if (letter == communicator_record) {
      contents.communicators.push_back(read_communicator(from, contents.facts.world_size, members_left));
    } else if (letter == name_record) {
      const auto number = static_cast<std::size_t>(from.number_below(contents.communicators.size()));
      contents.communicators[number].name = printable(from.text());
    } else if (letter == site_record) {
      contents.sites.push_back(read_site(from, contents.communicators.size()));
    } else if (letter == sampled_record) {
      contents.sites[static_cast<std::size_t>(from.number_below(contents.sites.size()))].are_sampled = true;
    } else {
      fail("its sites are damaged");
    }
  }
  if (!has_facts) fail("its sites do not say what was recorded");
}

// Also of a damaged log no number is negative.
Count counted(std::uint64_t number) { return static_cast<Count>(std::min(number, std::uint64_t{1} << 62)); }

LiveHeader read_header(int file) {
  LiveHeader header{};
  if (::pread(file, &header, sizeof header, 0) != sizeof header || std::memcmp(header.magic, live_magic, sizeof live_magic) != 0)
    fail("its log is not one of a recording");
  if (header.byte_order != live_byte_order) fail("its log was written by a processor with another order of bytes");
  if (!(header.ticks_per_second > 1e3 && header.ticks_per_second < 1e12)) fail("its log is damaged");
  return header;
}

// Adds up and packs the entries.
class LogReader {
 public:
  LogReader(RankContents& contents, double ticks_per_second)
      : recorded_(contents.recorded), packer_(contents.facts.folds), ns_per_tick_(1e9 / ticks_per_second) {
    recorded_.times.resize(contents.sites.size());
  }

  // False: the entry refers to a site that does not exist, so the rank was killed, or its log is damaged.
  bool add(LiveEntry live) {
    const double gap_ns = ns(live.gap), duration_ns = ns(live.duration);
    if (live.site == LiveEntry::away) {
      away_ns_ += duration_ns;
      return true;
    }
    const std::uint32_t site = live.site - LiveEntry::first_site;
    if (live.site < LiveEntry::first_site || site >= recorded_.times.size()) return false;
    packer_.add({site, gap_ns, away_ns_, duration_ns});
    RecordedTimes& times = recorded_.times[site];
    ++times.calls, ++recorded_.calls;
    times.gap_s += gap_ns * 1e-9, times.away_s += away_ns_ * 1e-9, times.duration_s += duration_ns * 1e-9;
    recorded_.seconds += (gap_ns + away_ns_ + duration_ns) * 1e-9;
    away_ns_ = 0;
    return true;
  }

  void finish() { recorded_.packed = packer_.finish(); }

 private:
  double ns(std::uint64_t ticks) const { return std::round(static_cast<double>(ticks) * ns_per_tick_); }

  RecordedRank& recorded_;
  CallPacker packer_;
  const double ns_per_tick_;
  double away_ns_ = 0;
};

void read_entries(int file, LogReader& reader) {
  std::vector<std::uint64_t> words(1 << 15);
  for (off_t at = LiveHeader::bytes;;) {
    const ssize_t got = ::pread(file, words.data(), words.size() * sizeof words[0], at);
    const std::size_t count = got > 0 ? static_cast<std::size_t>(got) / sizeof words[0] : 0;
    if (count == 0) return;
    for (std::size_t i = 0; i < count; ++i)
      if (words[i] == 0 || !reader.add(LiveEntry::of(words[i]))) return;
    at += static_cast<off_t>(count * sizeof words[0]);
  }
}

}  // namespace

std::string checksum(std::string_view bytes) {
  std::uint64_t hash = text_hash(bytes);
  std::string sum;
  for (std::size_t i = 0; i < checksum_bytes; ++i, hash >>= 8) sum += static_cast<char>(hash);
  return sum;
}

std::string file_of(const RankContents& contents) {
  const RecordedRank& recorded = contents.recorded;
  ByteWriter to;
  write(to, contents.facts);
  for (const bool flag : {recorded.has_ended, recorded.uses_wall_time, recorded.is_cut}) to.number(flag);
  to.number(static_cast<std::uint64_t>(recorded.unseen_calls));
  write_seconds(to, recorded.seconds);
  to.number(contents.communicators.size());
  for (const RecordedCommunicator& each : contents.communicators) write(to, each);
  to.number(contents.sites.size());
  for (const RecordedSite& each : contents.sites) write(to, each);
  for (const RecordedTimes& each : recorded.times) {
    to.number(static_cast<std::uint64_t>(each.calls));
    for (const double seconds : {each.gap_s, each.away_s, each.duration_s}) write_seconds(to, seconds);
  }
  to.number(recorded.functions.size());
  for (const RecordedFunction& each : recorded.functions) {
    to.text(each.name);
    to.number(static_cast<std::uint64_t>(each.calls));
    write_seconds(to, each.seconds);
  }
  to.number(static_cast<std::uint64_t>(recorded.calls));
  to.text(recorded.packed);
  const std::string bytes = std::string(file_magic) + to.bytes();
  return bytes + checksum(bytes);
}

RankContents parse_file(std::string_view bytes) {
  if (!bytes.starts_with(file_magic))
    throw Error(ErrorCode::malformed, "it is not a recording of the format quadrille-recording/1");
  if (bytes.size() < file_magic.size() + checksum_bytes ||
      checksum(bytes.substr(0, bytes.size() - checksum_bytes)) != bytes.substr(bytes.size() - checksum_bytes))
    throw Error(ErrorCode::malformed, "it is cut or damaged: its checksum is wrong");
  ByteReader from(bytes.substr(file_magic.size(), bytes.size() - file_magic.size() - checksum_bytes));
  RankContents contents;
  RecordedRank& recorded = contents.recorded;
  contents.facts = read_facts(from);
  recorded.rank = contents.facts.rank;
  recorded.host = contents.facts.host;
  for (bool* flag : {&recorded.has_ended, &recorded.uses_wall_time, &recorded.is_cut}) *flag = from.flag();
  recorded.unseen_calls = from.count();
  recorded.seconds = read_seconds(from);
  std::uint64_t members_left = most_members;
  for (std::size_t left = from.items(); left > 0; --left)
    contents.communicators.push_back(read_communicator(from, contents.facts.world_size, members_left));
  for (std::size_t left = from.items(); left > 0; --left) contents.sites.push_back(read_site(from, contents.communicators.size()));
  for (std::size_t i = 0; i < contents.sites.size(); ++i) {
    RecordedTimes& times = recorded.times.emplace_back();
    times.calls = from.count();
    for (double* seconds : {&times.gap_s, &times.away_s, &times.duration_s}) *seconds = read_seconds(from);
  }
  for (std::size_t left = from.items(); left > 0; --left) {
    RecordedFunction& function = recorded.functions.emplace_back();
    function.name = printable(from.text());
    function.calls = from.count();
    function.seconds = read_seconds(from);
  }
  recorded.calls = from.count();
  recorded.packed = from.text();
  if (!from.is_at_end() || recorded.calls > most_calls_in(recorded.packed.size())) ByteReader::fail();
  Count left = recorded.calls;  // the sites' calls are the entries
  for (const RecordedTimes& each : recorded.times) {
    if (each.calls > left) ByteReader::fail();
    left -= each.calls;
  }
  if (left != 0) ByteReader::fail();
  return contents;
}

RankContents read_log(const std::string& folder, Rank rank) {
  const std::string path = log_path(folder, rank), sites = sites_path(folder, rank);
  const Descriptor file = open_regular_file(path, "its log");
  if (file.number() < 0) fail(path, errno);
  const LiveHeader header = read_header(file.number());
  const FileText records = read_regular_file(sites, most_mebibytes_of_sites, "its sites");
  if (records.error != 0) fail(sites, records.error);
  RankContents contents;
  RecordedRank& recorded = contents.recorded;
  read_records(records.text, contents);
  recorded.rank = contents.facts.rank;
  recorded.host = contents.facts.host;
  recorded.has_ended = header.end_ticks > header.start_ticks;
  recorded.uses_wall_time = header.uses_wall_time != 0;
  recorded.is_cut = header.is_cut != 0;
  recorded.unseen_calls = counted(header.unseen_calls);
  if (recorded.functions.size() > most_functions) fail("its sites are damaged");
  for (std::size_t i = 0; i < recorded.functions.size(); ++i) {
    recorded.functions[i].calls = counted(header.functions[i].calls);
    recorded.functions[i].seconds = static_cast<double>(header.functions[i].ticks) / header.ticks_per_second;
  }
  std::erase_if(recorded.functions, [](const RecordedFunction& each) { return each.calls == 0; });
  LogReader reader(contents, header.ticks_per_second);
  read_entries(file.number(), reader);
  reader.finish();
  if (recorded.has_ended) recorded.seconds = static_cast<double>(header.end_ticks - header.start_ticks) / header.ticks_per_second;
  return contents;
}

}  // namespace quadrille::recording

namespace quadrille {
namespace {

namespace fs = std::filesystem;
using namespace recording;

constexpr std::size_t most_mebibytes_of_file = 4096;

// The ranks that have files in the folder.
std::set<Rank> ranks_in(const std::string& folder) {
  std::error_code error;
  std::set<Rank> ranks;
  fs::directory_iterator each(folder, error);
  if (error)
    throw Error(ErrorCode::environment, fmt::format("the folder '{}' cannot be read: {}", printable(folder), error.message()));
  for (; each != fs::directory_iterator(); each.increment(error)) {
    const std::string name = each->path().filename().string();
    constexpr std::string_view prefix = "rank-";
    const fs::path extension = each->path().extension();
    if (!name.starts_with(prefix) || (extension != ".recording" && extension != ".log")) continue;
    const auto number =
        number_in<Rank>(std::string_view(name).substr(prefix.size(), name.size() - prefix.size() - extension.string().size()));
    if (number && *number >= 0 && *number < most_ranks) ranks.insert(*number);
  }
  return ranks;
}

RankContents read_rank(const std::string& folder, Rank rank) {
  const std::string path = file_path(folder, rank);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return read_log(folder, rank);
  const FileText file = read_regular_file(path, most_mebibytes_of_file, "it");
  if (file.error != 0) throw Error(ErrorCode::environment, fmt::format("it cannot be read: {}", std::strerror(file.error)));
  return parse_file(file.text);
}

// All files that can be read; the others become remarks.
std::vector<RankContents> read_all(const std::string& folder, std::vector<std::string>& remarks) {
  std::vector<RankContents> all;
  for (const Rank rank : ranks_in(folder)) {
    try {
      RankContents contents = read_rank(folder, rank);
      if (contents.facts.rank != rank) throw Error(ErrorCode::malformed, "its name is that of another rank");
      all.push_back(std::move(contents));
    } catch (const Error& error) {
      remarks.push_back(fmt::format("the recording of rank {} in '{}' cannot be used: {}", rank, printable(folder), error.what()));
    }
  }
  return all;
}

// A folder may have files of an earlier run with more ranks. Keeps the latest run.
void keep_one_run(std::vector<RankContents>& all, std::vector<std::string>& remarks) {
  const std::uint64_t kept = std::max_element(all.begin(), all.end(), [](const RankContents& a, const RankContents& b) {
                               return a.facts.start_unix_ns < b.facts.start_unix_ns;
                             })->facts.run;
  const Count world_size =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.facts.run == kept; })->facts.world_size;
  const std::size_t others =
      std::erase_if(all, [&](const RankContents& each) { return each.facts.run != kept || each.facts.world_size != world_size; });
  if (others > 0)
    remarks.push_back(
        fmt::format("{} file{} of other runs {} left out", others, others == 1 ? "" : "s", others == 1 ? "is" : "are"));
}

// Adds communicators and sites, each content once.
class Shared {
 public:
  explicit Shared(Recording& recording) : recording_(recording) {}

  std::size_t add(RecordedCommunicator communicator) {
    std::string name;
    name.swap(communicator.name);
    const auto [entry, is_new] = communicators_.try_emplace(communicator, recording_.communicators.size());
    if (is_new) recording_.communicators.push_back(std::move(communicator));
    std::string& known = recording_.communicators[entry->second].name;
    if (known.empty()) known = std::move(name);
    return entry->second;
  }

  std::uint32_t add(const RecordedSite& site) {
    const auto [entry, is_new] = sites_.try_emplace(site, static_cast<std::uint32_t>(recording_.sites.size()));
    if (is_new) recording_.sites.push_back(site);
    return entry->second;
  }

 private:
  Recording& recording_;
  std::map<RecordedCommunicator, std::size_t> communicators_;  // without names, which ranks may set at different times
  std::map<RecordedSite, std::uint32_t> sites_;
};

[[noreturn]] void contradict(const std::string& what) {
  throw Error(ErrorCode::malformed, "the recording contradicts itself: " + what);
}

}  // namespace

Recording read_recording(const std::string& folder) {
  Recording recording;
  std::vector<RankContents> all = read_all(folder, recording.remarks);
  if (all.empty() && !recording.remarks.empty()) throw Error(ErrorCode::malformed, recording.remarks.front());
  if (all.empty())
    throw Error(ErrorCode::malformed, fmt::format("'{}' has no recording; make one: mpirun -n 8 quadrille wrap --record={} ./app",
                                                  printable(folder), printable(folder)));
  keep_one_run(all, recording.remarks);
  const RankFacts& facts = all.front().facts;
  recording.program = facts.program, recording.mpi = facts.mpi, recording.version = facts.version;
  recording.start_unix_ns = facts.start_unix_ns;
  recording.world_size = facts.world_size;
  recording.is_folded = facts.folds;
  Shared shared(recording);
  for (RankContents& each : all) {
    std::vector<std::size_t> communicators;
    for (RecordedCommunicator& communicator : each.communicators) communicators.push_back(shared.add(std::move(communicator)));
    for (RecordedSite& site : each.sites) {
      site.communicator = communicators[site.communicator];
      each.recorded.sites.push_back(shared.add(site));
    }
    recording.ranks.push_back(std::move(each.recorded));
  }
  check(recording);
  return recording;
}

void check(const Recording& recording) {
  const auto is_of_world = [&](Rank rank) { return rank >= 0 && rank < recording.world_size; };
  std::vector<std::vector<Rank>> members;  // by communicator, in order, without those of other worlds
  for (const RecordedCommunicator& communicator : recording.communicators) {
    std::vector<Rank>& sorted = members.emplace_back(communicator.members);
    std::erase(sorted, -1);
    std::sort(sorted.begin(), sorted.end());
    if (!sorted.empty() && (!is_of_world(sorted.front()) || !is_of_world(sorted.back())))
      contradict(fmt::format("a communicator has members that are not among the {} ranks", recording.world_size));
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
      contradict(fmt::format("a communicator has rank {} twice", *twice));
  }
  Rank before = -1;
  for (const RecordedRank& rank : recording.ranks) {
    if (!is_of_world(rank.rank) || rank.rank <= before || rank.times.size() != rank.sites.size())
      contradict("its ranks are not in order");
    before = rank.rank;
    for (const std::uint32_t number : rank.sites) {
      if (number >= recording.sites.size() || recording.sites[number].communicator >= members.size())
        contradict(fmt::format("rank {} has a site that does not exist", rank.rank));
      const RecordedSite& site = recording.sites[number];
      const std::vector<Rank>& on = members[site.communicator];
      if (!std::binary_search(on.begin(), on.end(), rank.rank))
        contradict(fmt::format("rank {} calls {} on a communicator of which it is no member", rank.rank,
                               site.function.empty() ? name(site.kind) : site.function));
    }
  }
}

}  // namespace quadrille

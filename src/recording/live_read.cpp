// SPDX-License-Identifier: BSD-3-Clause
#include "recording/live_read.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <vector>

#include "foundation/system/files.hpp"
#include "foundation/text/printable.hpp"
#include "recording/call_packer.hpp"
#include "recording/live_log.hpp"

namespace quadrille::recording {
namespace {

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

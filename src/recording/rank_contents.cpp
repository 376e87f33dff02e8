// SPDX-License-Identifier: BSD-3-Clause
#include "recording/rank_contents.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include "foundation/hash.hpp"
#include "foundation/planted.hpp"
#include "foundation/system/file_replacement.hpp"
#include "foundation/system/files.hpp"
#include "foundation/text/printable.hpp"
#include "quadrille/error.hpp"
#include "recording/call_log.hpp"
#include "recording/deviations.hpp"
#include "recording/entries.hpp"
#include "recording/folding.hpp"

namespace quadrille::recording {
namespace {

constexpr std::size_t most_mebibytes_of_file = 16384;

[[noreturn]] void refuse_file(const char* what) { throw Error(ErrorCode::malformed, what); }

std::string text_of_file(const std::string& path) {
  FileText file = read_regular_file(path, most_mebibytes_of_file, "it");
  if (file.error != 0) throw Error(ErrorCode::environment, fmt::format("it cannot be read: {}", std::strerror(file.error)));
  return std::move(file.text);
}

CallLogHeader header_of(std::string_view file) {
  CallLogHeader header{};
  if (!file.starts_with(call_log_magic)) {
    if (!file.starts_with(any_call_log_magic)) refuse_file("it is not a recording of the format quadrille-recording/2");
    refuse_file("another version of Quadrille has made it, in a format that is not read here; record the program again");
  }
  if (file.size() < CallLogHeader::bytes) refuse_file("it is cut");
  std::memcpy(&header, file.data(), sizeof header);
  if (header.byte_order != call_log_byte_order) refuse_file("it was written by a processor with another order of bytes");
  if (!(header.ticks_per_second > 1e3 && header.ticks_per_second < 1e12)) refuse_file("it is damaged");
  return header;
}

void set_checksum(std::string& file, std::uint64_t checksum) {
  std::memcpy(file.data() + offsetof(CallLogHeader, checksum), &checksum, sizeof checksum);
}

// Keeps the numbers of a damaged file from being negative.
Count counted(std::uint64_t number) { return static_cast<Count>(std::min(number, std::uint64_t{1} << 62)); }

// Goes through the units, keeps what they define, and adds up the entries.
class RankReader {
 public:
  RankReader(std::string_view file, double tick_s) : units_(file.substr(CallLogHeader::bytes)), reader_(units_) {
    contents_.recorded.tick_s = tick_s;
  }

  // Stops at the first incomplete unit: the rank was killed while it wrote that unit, or still runs. If `is_whole`, such a unit
  // is an error.
  RankContents read(bool is_whole) && {
    do read_entries();
    while (read_definition());
    if (!has_facts_) refuse_file("it does not say what was recorded");
    if (is_whole && reader_.at() != units_.size()) refuse_file("its entries are damaged");
    deviations_.set(contents_.recorded);
    return std::move(contents_);
  }

 private:
  void read_entries() {
    const std::size_t begin = reader_.at();
    while (const auto entry = reader_.next()) add(*entry);
    contents_.recorded.entries += units_.substr(begin, reader_.at() - begin);
  }

  void add(const Entry& entry) {
    RecordedRank& rank = contents_.recorded;
    if (entry.site >= rank.times.size()) refuse_file("its entries are damaged");
    RecordedTimes& times = rank.times[entry.site];
    const auto seconds = [&](std::uint64_t ticks) { return static_cast<double>(ticks) * rank.tick_s; };
    ++times.calls, ++rank.calls;
    if (is_planted("entry counted twice") && entry.away > 0) ++times.calls, ++rank.calls;
    deviations_.add(entry.site, seconds(entry.gap), seconds(entry.duration));
    times.gap_s += seconds(entry.gap), times.away_s += seconds(entry.away), times.duration_s += seconds(entry.duration);
    rank.seconds += seconds(entry.gap) + seconds(entry.away) + seconds(entry.duration);
  }

  bool read_definition() {
    const auto definition = reader_.definition();
    if (!definition) return false;
    const char letter = definition->letter;
    ByteReader from(definition->bytes);
    if (has_facts_ != (letter != facts_letter)) refuse_file("its definitions are damaged");
    auto& [facts, communicators, sites, recorded] = contents_;
    if (letter == facts_letter) {
      facts = read_facts(from);
      has_facts_ = true;
    } else if (letter == functions_letter) {
      for (std::size_t left = from.items(); left > 0; --left) recorded.functions.push_back({printable(from.text())});
    } else if (letter == settings_letter) {
      for (std::size_t left = from.items(); left > 0; --left) facts.settings.push_back(printable(from.text()));
    } else if (letter == communicator_letter) {
      communicators.push_back(read_communicator(from, facts.world_size, members_left_));
    } else if (letter == name_letter) {
      RecordedCommunicator& named = communicators[static_cast<std::size_t>(from.number_below(communicators.size()))];
      named.name = printable(from.text());
    } else if (letter == site_letter) {
      sites.push_back(read_site(from, communicators.size()));
      recorded.times.emplace_back();
    } else if (letter == sampled_letter) {
      sites[static_cast<std::size_t>(from.number_below(sites.size()))].are_sampled = true;
    } else if (letter == variation_letter) {
      const auto site = static_cast<std::size_t>(from.number_below(sites.size()));
      const std::uint64_t gap = from.number();
      deviations_.define(site, gap, from.number());
    } else {
      refuse_file("its definitions are damaged");
    }
    return true;
  }

  const std::string_view units_;
  EntryReader reader_;
  RankContents contents_;
  Deviations deviations_;
  std::uint64_t members_left_ = most_members;
  bool has_facts_ = false;
};

}  // namespace

RankContents read_rank(const std::string& path) {
  std::string file = text_of_file(path);
  const CallLogHeader header = header_of(file);
  set_checksum(file, 0);
  if (header.checksum != 0 && header.checksum != checksum_of(file)) refuse_file("it is cut or damaged: its checksum is wrong");
  RankContents contents = RankReader(file, 1 / header.ticks_per_second).read(header.checksum != 0 && header.is_cut == 0);
  RecordedRank& recorded = contents.recorded;
  recorded.rank = contents.facts.rank;
  recorded.host = contents.facts.host;
  recorded.has_ended = header.end_ticks > header.start_ticks;
  recorded.uses_wall_time = header.uses_wall_time != 0;
  recorded.is_cut = header.is_cut != 0;
  recorded.unseen_calls = counted(header.unseen_calls);
  if (recorded.functions.size() > most_functions) refuse_file("its definitions are damaged");
  for (std::size_t i = 0; i < recorded.functions.size(); ++i) {
    recorded.functions[i].calls = counted(header.functions[i].calls);
    recorded.functions[i].seconds = static_cast<double>(header.functions[i].ticks) * recorded.tick_s;
  }
  std::erase_if(recorded.functions, [](const RecordedFunction& each) { return each.calls == 0; });
  if (recorded.has_ended) recorded.seconds = static_cast<double>(header.end_ticks - header.start_ticks) * recorded.tick_s;
  return contents;
}

void fold_rank(const std::string& path) {
  std::string file = text_of_file(path);
  header_of(file);
  const std::string units = folded(std::string_view(file).substr(CallLogHeader::bytes));
  if (CallLogHeader::bytes + units.size() >= file.size()) return;
  file.replace(CallLogHeader::bytes, std::string::npos, units);
  set_checksum(file, 0);
  set_checksum(file, checksum_of(file));
  if (const Result<> written = replace_file(path, file); !written)
    throw Error(ErrorCode::environment, fmt::format("it cannot be written: {}", written.error()));
}

std::string token_of_rank(const std::string& path) {
  const Descriptor file = open_regular_file(path, "it");
  std::string page(CallLogHeader::bytes, '\0');
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0 || ::pread(file.number(), page.data(), page.size(), 0) < 0)
    throw Error(ErrorCode::environment, fmt::format("it cannot be read: {}", std::strerror(errno)));
  header_of(page);
  return fmt::format("{} {:016x}", status.st_size, words_hash(page));
}

}  // namespace quadrille::recording

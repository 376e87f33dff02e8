// SPDX-License-Identifier: BSD-3-Clause
#include "recording/rank_file.hpp"

#include <algorithm>
#include <cmath>

#include "foundation/hash.hpp"
#include "foundation/text/printable.hpp"
#include "recording/call_model.hpp"

namespace quadrille::recording {
namespace {

constexpr std::size_t checksum_bytes = 8;

void write_seconds(ByteWriter& to, double seconds) {
  to.number(static_cast<std::uint64_t>(std::llround(std::clamp(seconds, 0.0, 4e9) * 1e9)));
}
double read_seconds(ByteReader& from) { return static_cast<double>(from.count()) * 1e-9; }

// An entry takes at least 0.03 bits, and repeats at most 64 times. So a reader of a damaged file comes to its end.
Count most_calls_in(std::size_t bytes) { return Count{longest_group * most_repetitions} + 20'000 * static_cast<Count>(bytes); }

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

}  // namespace quadrille::recording

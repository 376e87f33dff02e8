// SPDX-License-Identifier: BSD-3-Clause
#include "recording/definitions.hpp"

#include "foundation/text/printable.hpp"

namespace quadrille::recording {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;

// Members as runs of ranks: first, step and number.
void write_members(ByteWriter& to, const std::vector<Rank>& members) {
  to.number(members.size());
  for (std::size_t at = 0; at < members.size();) {
    const Rank step = at + 1 < members.size() ? members[at + 1] - members[at] : 0;
    std::size_t length = 1;
    while (at + length < members.size() && members[at + length] - members[at + length - 1] == step) ++length;
    to.rank(members[at]);
    to.number(step < 0 ? static_cast<std::uint64_t>(-step) * 2 + 1 : static_cast<std::uint64_t>(step) * 2);
    to.number(length);
    at += length;
  }
}

std::vector<Rank> read_members(ByteReader& from, Count world_size, std::uint64_t most) {
  const std::uint64_t size = from.number_below(most + 1);
  std::vector<Rank> members;
  while (members.size() < size) {
    const Rank first = from.rank();
    const std::uint64_t coded = from.number_below(std::uint64_t{1} << 32);
    const Rank step = static_cast<Rank>(coded / 2) * (coded % 2 ? -1 : 1);
    const std::uint64_t length = from.number_below(size - members.size() + 1);
    if (length == 0) ByteReader::fail();
    for (std::uint64_t i = 0; i < length; ++i) {
      const Rank member = first + step * static_cast<Rank>(i);
      if (member < -1 || member >= world_size) ByteReader::fail();
      members.push_back(member);
    }
  }
  return members;
}

}  // namespace

void write(ByteWriter& to, const RankFacts& facts) {
  for (const std::string* words : {&facts.program, &facts.mpi, &facts.version, &facts.host}) to.text(*words);
  to.number(static_cast<std::uint64_t>(facts.rank));
  to.number(static_cast<std::uint64_t>(facts.world_size));
  to.number(facts.run);
  to.number(static_cast<std::uint64_t>(facts.start_unix_ns));
  to.number(static_cast<std::uint64_t>(facts.process));
  to.number(facts.folds);
}

RankFacts read_facts(ByteReader& from) {
  RankFacts facts;
  for (std::string* words : {&facts.program, &facts.mpi, &facts.version, &facts.host}) *words = printable(from.text());
  facts.rank = from.count();
  facts.world_size = from.count();
  if (facts.world_size > most_ranks || facts.rank >= facts.world_size) ByteReader::fail();
  facts.run = from.number();
  facts.start_unix_ns = from.count();
  facts.process = from.count();
  facts.folds = from.flag();
  return facts;
}

void write(ByteWriter& to, const RecordedCommunicator& communicator) {
  to.text(communicator.name);
  to.number(static_cast<std::uint64_t>(communicator.nth));
  to.number(communicator.is_inter);
  write_members(to, communicator.members);
}

RecordedCommunicator read_communicator(ByteReader& from, Count world_size, std::uint64_t& members_left) {
  RecordedCommunicator communicator;
  communicator.name = printable(from.text());
  communicator.nth = from.count();
  communicator.is_inter = from.flag();
  communicator.members = read_members(from, world_size, members_left);
  members_left -= communicator.members.size();
  return communicator;
}

void write(ByteWriter& to, const RecordedSite& site) {
  to.number(static_cast<std::uint64_t>(site.kind));
  to.text(site.function);
  to.number(site.communicator);
  to.rank(site.root);
  to.text(site.type);
  to.text(site.operation);
  to.number(static_cast<std::uint64_t>(site.type_bytes));
  to.number(static_cast<std::uint64_t>(site.block_bytes));
  to.number(site.are_sampled);
  to.number(site.counts.size());
  for (const Bytes bytes : site.counts) to.number(static_cast<std::uint64_t>(bytes));
  to.number(site.peers.size());
  for (const Rank peer : site.peers) to.rank(peer);
}

RecordedSite read_site(ByteReader& from, std::size_t communicators) {
  RecordedSite site;
  site.kind = static_cast<RecordedKind>(from.number_below(static_cast<std::uint64_t>(RecordedKind::others) + 1));
  site.function = printable(from.text());
  site.communicator = static_cast<std::size_t>(from.number_below(communicators));
  site.root = from.rank();
  site.type = printable(from.text());
  site.operation = printable(from.text());
  site.type_bytes = static_cast<Bytes>(from.number_below(most_bytes));
  site.block_bytes = static_cast<Bytes>(from.number_below(most_bytes));
  site.are_sampled = from.flag();
  for (std::size_t left = from.items(); left > 0; --left) site.counts.push_back(static_cast<Bytes>(from.number_below(most_bytes)));
  for (std::size_t left = from.items(); left > 0; --left) site.peers.push_back(from.rank());
  return site;
}

}  // namespace quadrille::recording

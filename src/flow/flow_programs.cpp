// SPDX-License-Identifier: BSD-3-Clause
#include "flow/flow_programs.hpp"

#include <algorithm>
#include <map>

#include "foundation/assert.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

// The scratch memory of a rank: each range goes to the lowest place that is free.
class FreeRanges {
 public:
  Bytes take(Bytes length) {
    for (auto range = free_.begin(); range != free_.end(); ++range) {
      const auto [first, free_length] = *range;
      if (free_length < length) continue;
      free_.erase(range);
      if (free_length > length) free_.emplace(first + length, free_length - length);
      return first;
    }
    const Bytes first = end_;
    end_ += length;
    return first;
  }

  void give_back(Bytes first, Bytes length) {
    auto next = free_.lower_bound(first);
    if (next != free_.end() && next->first == first + length) length += next->second, next = free_.erase(next);
    if (next != free_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == first) {
        before->second += length;
        return;
      }
    }
    free_.emplace(first, length);
  }

  Bytes size() const { return end_; }

 private:
  std::map<Bytes, Bytes> free_;  // first byte and length
  Bytes end_ = 0;
};

void append(Regions& regions, const Region& region) {
  if (!regions.empty() && regions.back().buffer == region.buffer && regions.back().offset + regions.back().length == region.offset)
    regions.back().length += region.length;
  else
    regions.push_back(region);
}

class FlowPrograms {
 public:
  FlowPrograms(const Problem& problem, const RankNetwork& network, const std::vector<BlockPart>& parts, const FilledRounds& filled)
      : network_(network), parts_(parts), scratch_(index(problem.ranks)) {
    for (Rank rank = 0; rank < problem.ranks; ++rank) {
      ProgramBuilder& builder = builders_.emplace_back(rank);
      builder.stage("flow");
      builder.begin_round();
      for (const ExpectedPiece& piece : expected_output(problem, rank))
        if (piece.first == rank)
          builder.copy({{Buffer::input, piece.input_offset, piece.length}}, {{Buffer::output, piece.offset, piece.length}});
    }
    for (std::size_t round = 0; round < filled.rounds.size(); ++round) {
      if (round > 0)
        for (ProgramBuilder& builder : builders_) builder.begin_round();
      add_round(filled.rounds[round]);
    }
  }

  std::vector<Program> finished() && {
    std::vector<Program> programs;
    for (std::size_t rank = 0; rank < builders_.size(); ++rank) {
      builders_[rank].scratch(scratch_[rank].size());
      programs.push_back(std::move(builders_[rank]).finish());
    }
    return programs;
  }

 private:
  // Where the receiver of a transfer keeps its bytes.
  struct Place {
    Region region;
    Bytes first = 0;  // in the part
  };

  void add_round(const std::vector<PartTransfer>& transfers) {
    std::map<std::size_t, std::pair<Regions, Regions>> messages;  // by hop: what is read and written
    std::vector<std::pair<Rank, Region>> sent;                    // from scratch memory
    for (const PartTransfer& transfer : transfers) {
      const BlockPart& part = parts_[transfer.part];
      const std::size_t number = part.steps[transfer.step].hop;
      const RankHop& hop = network_.hops[number];
      const Region read = source(part, transfer);
      if (read.buffer == Buffer::scratch) sent.emplace_back(hop.from, read);
      const bool is_needed = !part.to || *part.to == hop.to;
      const Region written = is_needed ? Region{Buffer::output, part.output_offset + transfer.first, transfer.length}
                                       : Region{Buffer::scratch, scratch_[index(hop.to)].take(transfer.length), transfer.length};
      places_.push_back({written, transfer.first});
      auto& [reads, writes] = messages[number];
      append(reads, read), append(writes, written);
    }
    for (auto& [number, regions] : messages) {
      const RankHop& hop = network_.hops[number];
      builders_[index(hop.from)].send(hop.to, std::move(regions.first), hop.port);
      builders_[index(hop.to)].receive(hop.from, std::move(regions.second), hop.port);
    }
    // Only later rounds write there, so an executor need not keep a copy of what it sends.
    for (const auto& [rank, region] : sent) scratch_[index(rank)].give_back(region.offset, region.length);
  }

  Region source(const BlockPart& part, const PartTransfer& transfer) const {
    if (transfer.origin < 0) return {Buffer::input, part.input_offset + transfer.first, transfer.length};
    const Place& place = places_[index(transfer.origin)];
    QUADRILLE_ASSERT(transfer.first >= place.first && transfer.first + transfer.length <= place.first + place.region.length);
    return {place.region.buffer, place.region.offset + transfer.first - place.first, transfer.length};
  }

  const RankNetwork& network_;
  const std::vector<BlockPart>& parts_;
  std::vector<ProgramBuilder> builders_;
  std::vector<FreeRanges> scratch_;  // by rank
  std::vector<Place> places_;        // by transfer
};

}  // namespace

std::vector<Program> flow_programs(const Problem& problem, const RankNetwork& network, const std::vector<BlockPart>& parts,
                                   const FilledRounds& filled) {
  return FlowPrograms(problem, network, parts, filled).finished();
}

}  // namespace quadrille

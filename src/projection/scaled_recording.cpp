// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "foundation/arithmetic.hpp"
#include "foundation/assert.hpp"
#include "problem/collective_facts.hpp"
#include "projection/call_problem.hpp"
#include "projection/projection.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/projection.hpp"

namespace quadrille::projection {
namespace {

std::string grid_text(const std::vector<Count>& sides) { return fmt::format("{}", fmt::join(sides, "x")); }

// A part of a grid: all places of some dimensions.
using Dimensions = std::vector<bool>;

// Two grids: of the recorded ranks, and of more ranks, which are copies of the recorded ones.
class RankGrid {
 public:
  // Throws Error{misuse}.
  RankGrid(Count recorded, const RankScale& scale);

  Count ranks() const { return ranks_of_grid(to_); }
  Count growth() const { return growth_of(Dimensions(to_.size(), true)); }
  Count growth_of(const Dimensions& dimensions) const;  // the factor by which a part with these dimensions grows

  Rank original(Rank rank) const;  // the recorded rank of which it is a copy

  // Which copy of a part with these dimensions the rank is in: a number below growth() / growth_of(dimensions).
  Count copy_of_part(Rank rank, const Dimensions& dimensions) const;

  // The dimensions of the part that has these recorded ranks; nothing if these ranks are not a part, or not in order.
  std::optional<Dimensions> part_of(const std::vector<Rank>& recorded) const;

 private:
  std::vector<Count> places(Rank rank, const std::vector<Count>& sides) const;

  std::vector<Count> from_, to_, factors_;
};

RankGrid::RankGrid(Count recorded, const RankScale& scale) : from_(scale.from), to_(scale.to) {
  if (from_.empty() || from_.size() != to_.size())
    refuse(fmt::format("the grids {} and {} need the same number of sides", grid_text(from_), grid_text(to_)));
  Count before = 1, after = 1;
  for (std::size_t i = 0; i < from_.size(); ++i) {
    if (from_[i] < 1 || to_[i] < from_[i] || to_[i] % from_[i] != 0)
      refuse(fmt::format("a side of {} cannot become one of {}; sides grow by whole factors", from_[i], to_[i]));
    if (from_[i] == 1 && to_[i] > 1)
      refuse("a side of 1 cannot grow, because communicators along it cannot be told from single ranks");
    before = from_[i] <= recorded / before ? before * from_[i] : recorded + 1;
    if (to_[i] > most_scaled_ranks / after) refuse(fmt::format("a recording can be scaled to {} ranks at most", most_scaled_ranks));
    after *= to_[i];
    factors_.push_back(to_[i] / from_[i]);
  }
  if (before != recorded) refuse(fmt::format("the grid {} does not have the {} recorded ranks", grid_text(from_), recorded));
  if (after == before) refuse(fmt::format("the grid {} has no more ranks than were recorded", grid_text(to_)));
}

Count RankGrid::growth_of(const Dimensions& dimensions) const {
  Count growth = 1;
  for (std::size_t i = 0; i < factors_.size(); ++i)
    if (dimensions[i]) growth *= factors_[i];
  return growth;
}

std::vector<Count> RankGrid::places(Rank rank, const std::vector<Count>& sides) const {
  std::vector<Count> places(sides.size());
  for (std::size_t i = sides.size(); i-- > 0; rank /= sides[i]) places[i] = rank % sides[i];
  return places;
}

Rank RankGrid::original(Rank rank) const {
  const std::vector<Count> at = places(rank, to_);
  Rank recorded = 0;
  for (std::size_t i = 0; i < at.size(); ++i) recorded = recorded * from_[i] + at[i] / factors_[i];
  return recorded;
}

Count RankGrid::copy_of_part(Rank rank, const Dimensions& dimensions) const {
  const std::vector<Count> at = places(rank, to_);
  Count copy = 0;
  for (std::size_t i = 0; i < at.size(); ++i)
    if (!dimensions[i]) copy = copy * factors_[i] + at[i] % factors_[i];
  return copy;
}

std::optional<Dimensions> RankGrid::part_of(const std::vector<Rank>& recorded) const {
  if (recorded.empty() || !std::is_sorted(recorded.begin(), recorded.end())) return std::nullopt;
  if (recorded.front() < 0 || recorded.back() >= ranks_of_grid(from_)) return std::nullopt;
  std::vector<std::set<Count>> seen(from_.size());  // by dimension: the places that occur
  for (const Rank rank : recorded) {
    const std::vector<Count> at = places(rank, from_);
    for (std::size_t i = 0; i < at.size(); ++i) seen[i].insert(at[i]);
  }
  Dimensions dimensions(from_.size());
  Count ranks = 1;
  for (std::size_t i = 0; i < from_.size(); ++i) {
    if (seen[i].size() > 1 && static_cast<Count>(seen[i].size()) != from_[i]) return std::nullopt;
    dimensions[i] = static_cast<Count>(seen[i].size()) == from_[i];
    if (dimensions[i]) ranks *= from_[i];
  }
  return ranks == size(recorded) ? std::optional(dimensions) : std::nullopt;
}

}  // namespace
}  // namespace quadrille::projection

namespace quadrille {
namespace {

using namespace projection;

constexpr std::size_t most_counts = std::size_t{1} << 27;  // the limit for all sites together

bool is_used(const RecordedSite& site) {
  if (site.kind == RecordedKind::making) return makes_together(site.function);
  return site.kind != RecordedKind::point_to_point && site.kind != RecordedKind::others;
}

// How a block shrinks: its bytes are divided by `parts` and rounded up to whole pieces.
struct Shrinking {
  Count parts = 1;
  Bytes piece = 1;
  Bytes operator()(Bytes bytes) const { return rounded_up(ceil_divide(bytes, parts), piece); }
};

// `growth`: of the communicator; `all`: of the run.
Shrinking shrinking_of(const RecordedSite& site, BlockScale blocks, Count growth, Count all) {
  const auto form = form_of(site.function);
  if (!form || blocks == BlockScale::same) return {};
  const bool is_strong = blocks == BlockScale::strong;
  const CollectiveFacts& facts = facts_of(form->collective);
  const bool has_all = facts.input.holding == Holding::all, gets_all = facts.output.holding == Holding::all;
  if (has_all && gets_all) return {.parts = is_strong ? growth * all : growth};
  if (has_all && facts.is_reduction) return {.parts = growth, .piece = std::max<Bytes>(site.type_bytes, 1)};
  if (has_all || gets_all) return {.parts = is_strong ? all : 1};
  return {};  // every rank has the whole vector
}

class Scaling {
 public:
  Scaling(const Recording& recording, const RankScale& scale)
      : recorded_(recording), blocks_(scale.blocks), grid_(recording.world_size, scale) {
    for (Rank rank = 0; rank < grid_.ranks(); ++rank) originals_.push_back(grid_.original(rank));
  }

  Recording run() {
    made_ = {.program = recorded_.program, .mpi = recorded_.mpi, .version = recorded_.version};
    made_.start_unix_ns = recorded_.start_unix_ns, made_.is_folded = recorded_.is_folded, made_.remarks = recorded_.remarks;
    made_.world_size = grid_.ranks();
    made_.remarks.push_back(fmt::format("{} ranks stand for the {} recorded ones, and compute, call and are late as those did",
                                        grid_.ranks(), recorded_.world_size));
    std::vector<Rank> all(originals_.size());
    std::iota(all.begin(), all.end(), Rank{0});
    made_.communicators.push_back({"", std::move(all), 0, false});  // the communicator of sites that are not used
    parts_.resize(recorded_.communicators.size());
    for (const RecordedSite& site : recorded_.sites)
      if (is_used(site) && !parts_[site.communicator]) grow(site.communicator);
    for (Rank rank = 0; rank < grid_.ranks(); ++rank) {
      RecordedRank copy = recorded_.ranks[index(originals_[index(rank)])];
      copy.rank = rank;
      for (std::uint32_t& site : copy.sites) site = site_for(rank, site);
      made_.ranks.push_back(std::move(copy));
    }
    return std::move(made_);
  }

 private:
  // A recorded communicator that is a part of the grid, and its copies: numbered in order, beginning with `first`.
  struct Part {
    Dimensions dimensions;
    std::size_t first;
  };

  void grow(std::size_t communicator) {
    const RecordedCommunicator& recorded = recorded_.communicators[communicator];
    const std::string label = recorded.name.empty() ? "a communicator" : recorded.name;
    if (recorded.is_inter) refuse(fmt::format("{} is a communicator between groups, and cannot be scaled", label));
    const auto dimensions = grid_.part_of(recorded.members);
    if (!dimensions)
      refuse(
          fmt::format("{} of {} ranks is no part of the grid, so it is not known how it grows; name the grid of the recorded "
                      "ranks, such as 2x4=4x16",
                      label, recorded.members.size()));
    const Part& part = parts_[communicator].emplace(Part{*dimensions, made_.communicators.size()});
    for (Count copy = 0; copy < grid_.growth() / grid_.growth_of(part.dimensions); ++copy)
      made_.communicators.push_back({recorded.name, {}, recorded.nth, false});
    for (Rank rank = 0; rank < grid_.ranks(); ++rank)
      if (std::binary_search(recorded.members.begin(), recorded.members.end(), originals_[index(rank)]))
        made_.communicators[index_for(rank, part)].members.push_back(rank);
  }

  std::size_t index_for(Rank rank, const Part& part) const { return part.first + index(grid_.copy_of_part(rank, part.dimensions)); }

  // The site in the new recording that stands for this recorded site at this rank.
  std::uint32_t site_for(Rank rank, std::uint32_t recorded) {
    const RecordedSite& site = recorded_.sites[recorded];
    const std::size_t communicator = is_used(site) ? index_for(rank, *parts_[site.communicator]) : 0;
    const auto [known, is_new] = sites_.try_emplace({recorded, communicator}, 0);
    if (!is_new) return known->second;
    RecordedSite grown = is_used(site) ? grown_site(site, communicator) : site;
    grown.communicator = communicator;
    const auto [same, is_first] = by_contents_.try_emplace(std::move(grown), static_cast<std::uint32_t>(made_.sites.size()));
    if (is_first) made_.sites.push_back(same->first);
    return known->second = same->second;
  }

  RecordedSite grown_site(const RecordedSite& site, std::size_t communicator) {
    const RecordedCommunicator& before = recorded_.communicators[site.communicator];
    const RecordedCommunicator& after = made_.communicators[communicator];
    if (const auto form = form_of(site.function); form && form->is_of_neighbours)
      refuse(fmt::format("who would be whose neighbour among more ranks is not known, so {} cannot be scaled", site.function));
    QUADRILLE_ASSERT(size(after.members) % size(before.members) == 0);
    const Count growth = size(after.members) / size(before.members);
    const Shrinking shrunk = shrinking_of(site, blocks_, growth, grid_.growth());
    RecordedSite grown = site;
    grown.block_bytes = shrunk(site.block_bytes);
    if (site.root >= 0) grown.root = copy_of_root(site.root, before, after);
    if (site.counts.empty()) return grown;
    if (site.counts.size() != before.members.size())
      refuse(fmt::format("the counts of {} were not all recorded, so it cannot be scaled", site.function));
    grown.counts.clear();
    for (const Rank member : after.members) {
      const auto place = std::lower_bound(before.members.begin(), before.members.end(), originals_[index(member)]);
      QUADRILLE_ASSERT(place != before.members.end() && *place == originals_[index(member)]);
      grown.counts.push_back(shrunk(site.counts[index(place - before.members.begin())]));
    }
    grown.block_bytes = 0;
    for (const Bytes count : grown.counts) {
      const auto sum = checked_sum(grown.block_bytes, count);
      if (!sum) refuse(fmt::format("the blocks of {} have 2^63 bytes or more together, so it cannot be scaled", site.function));
      grown.block_bytes = *sum;
    }
    counts_ += grown.counts.size();
    if (counts_ > most_counts) refuse("the recording has too many calls with counts to be scaled to so many ranks");
    return grown;
  }

  // Returns the root's first copy in the new communicator.
  Rank copy_of_root(Rank root, const RecordedCommunicator& before, const RecordedCommunicator& after) const {
    if (root >= size(before.members)) return -1;
    const Rank recorded = before.members[index(root)];
    const auto first = std::find_if(after.members.begin(), after.members.end(),
                                    [&](Rank member) { return originals_[index(member)] == recorded; });
    QUADRILLE_ASSERT(first != after.members.end());
    return static_cast<Rank>(first - after.members.begin());
  }

  const Recording& recorded_;
  const BlockScale blocks_;
  const RankGrid grid_;
  std::vector<Rank> originals_;  // by rank: its original
  Recording made_;
  std::vector<std::optional<Part>> parts_;                                // by recorded communicator
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t> sites_;  // by recorded site and new communicator
  std::map<RecordedSite, std::uint32_t> by_contents_;                     // a completion finds its start by contents
  std::size_t counts_ = 0;
};

}  // namespace

std::string_view name(BlockScale blocks) {
  switch (blocks) {
    case BlockScale::same: return "same";
    case BlockScale::weak: return "weak";
    case BlockScale::strong: return "strong";
  }
  return {};
}

std::optional<BlockScale> block_scale_named(std::string_view word) {
  for (const BlockScale each : {BlockScale::same, BlockScale::weak, BlockScale::strong})
    if (word == name(each)) return each;
  return std::nullopt;
}

Count ranks_of_grid(const std::vector<Count>& sides) {
  return std::accumulate(sides.begin(), sides.end(), Count{1}, std::multiplies<>());
}

Recording scaled(const Recording& recording, const RankScale& scale) {
  check_complete(recording);
  return Scaling(recording, scale).run();
}

}  // namespace quadrille

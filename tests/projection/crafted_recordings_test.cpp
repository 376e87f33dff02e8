// SPDX-License-Identifier: BSD-3-Clause
// Recordings whose files are right in form and say anything: they are read and projected, or refused with a sentence. To try more
// with another seed: QUADRILLE_FUZZ=100000 QUADRILLE_SEED=7 quadrille_tests --gtest_filter='CraftedRecordings.*'
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <sstream>

#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/projection.hpp"
#include "quadrille/vendor_choice.hpp"
#include "recording/recording_json.hpp"
#include "recording/totals.hpp"
#include "support/cases.hpp"
#include "support/environment.hpp"
#include "support/last_words.hpp"
#include "support/made_recording.hpp"
#include "support/own_folder.hpp"

namespace quadrille::projection {
namespace {

using recording::RankContents;
using testing::MadeRecording;

constexpr unsigned most_seconds_of_crafted = 60;  // no case may hang

constexpr const char* crafted_functions[] = {
    "Barrier",    "Bcast",      "Reduce",      "Allreduce",         "Reduce_scatter", "Reduce_scatter_block",
    "Scan",       "Exscan",     "Gather",      "Gatherv",           "Scatter",        "Scatterv",
    "Allgather",  "Allgatherv", "Alltoall",    "Alltoallv",         "Alltoall",       "Alltoallw",
    "Comm_dup",   "Comm_free",  "Finalize",    "Neighbor_alltoall", "Ibarrier",       "Neighbor_alltoallv",
    "Ibcast",     "Ialltoall",  "Iallgatherv", "Ireduce",           "Bcast_init",     "Ineighbor_allgather",
    "Comm_split", "Neighbor_"};
constexpr Bytes usual_bytes[] = {0, 1, 8, 64, 1000, 4096, 65536, 1 << 20};
constexpr Bytes crafted_bytes[] = {
    0, 1, 7, 64, 1 << 20, Bytes{1} << 40, Bytes{1} << 59, (Bytes{1} << 61) + 8, (Bytes{1} << 62) - 1};

class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
  bool one_in(std::size_t cases) { return below(cases) == 0; }
  template <class List>
  auto& one_of(List& list) {
    return list[below(std::size(list))];
  }
  Rank rank() { return static_cast<Rank>(below(9)) - 1; }
  template <class List>
  void shuffle(List& list) {
    std::shuffle(list.begin(), list.end(), random_);
  }

 private:
  std::mt19937_64 random_;
};

// A program that could have been recorded: calls in an order in which they could happen, a few of which a member leaves out.
MadeRecording drawn_program(Drawing& draw) {
  const auto ranks = static_cast<Count>(1 + draw.below(6));
  MadeRecording program(ranks);
  std::vector<std::vector<Rank>> members(1 + draw.below(3));
  for (std::size_t on = 0; on < members.size(); ++on) {
    for (Rank rank = 0; rank < ranks; ++rank)
      if (on == 0 || !draw.one_in(3)) members[on].push_back(rank);
    if (on > 0 && draw.one_in(3)) draw.shuffle(members[on]);
    if (on > 0) program.communicator(members[on], draw.one_in(2) ? "part" : "");
  }
  struct Calls {
    std::size_t communicator;
    std::vector<std::uint32_t> sites;  // that follow each other: a start and its completion
  };
  std::vector<Calls> all;
  for (std::size_t i = 1 + draw.below(8); i > 0; --i) {
    const std::size_t on = draw.below(members.size());
    RecordedSite site{.function = draw.one_of(crafted_functions), .communicator = on, .type_bytes = 8};
    site.block_bytes = draw.one_of(usual_bytes);
    site.root = draw.one_in(4) ? draw.rank() : 0;
    if (site.function.ends_with('v') || site.function.ends_with('w') || site.function == "Reduce_scatter")
      for (std::size_t k = 0; k < members[on].size(); ++k) site.counts.push_back(draw.one_of(usual_bytes));
    if (site.function.find("eighbor") != std::string::npos)
      for (std::size_t k = site.counts.empty() ? draw.below(4) : site.counts.size(); k > 0; --k) site.peers.push_back(draw.rank());
    if (site.function.starts_with("Comm") || site.function == "Finalize") site.kind = RecordedKind::making;
    if (site.function[0] == 'I' || draw.one_in(16)) site.kind = RecordedKind::start;
    if (draw.one_in(8)) site.kind = static_cast<RecordedKind>(draw.below(6));
    Calls& calls = all.emplace_back(Calls{on, {program.site(site)}});
    if (site.kind != RecordedKind::start) continue;
    site.kind = RecordedKind::completion;
    calls.sites.push_back(program.site(site));
  }
  for (std::size_t i = draw.below(30); i > 0; --i) {
    const Calls& calls = draw.one_of(all);
    for (const Rank rank : members[calls.communicator])
      for (const std::uint32_t site : calls.sites)
        if (!draw.one_in(100))
          program.add(rank, site, {static_cast<double>(draw.below(100)), static_cast<double>(draw.below(100))});
  }
  return program;
}

void change(RecordedSite& site, std::size_t communicators, Drawing& draw) {
  switch (draw.below(8)) {
    case 0: site.communicator = draw.below(communicators); return;
    case 1: site.kind = static_cast<RecordedKind>(draw.below(6)); return;
    case 2: site.function = draw.one_of(crafted_functions); return;
    case 3: site.root = draw.rank(); return;
    case 4: site.block_bytes = draw.one_of(crafted_bytes); return;
    case 5: site.type_bytes = draw.one_of(crafted_bytes); return;
    case 6: site.peers.assign(draw.below(5), draw.rank()); return;
    default:
      if (site.counts.empty() || draw.one_in(4))
        site.counts.assign(draw.below(8), draw.one_of(crafted_bytes));
      else
        draw.one_of(site.counts) = draw.one_of(crafted_bytes);
  }
}

void change(RecordedCommunicator& communicator, Drawing& draw) {
  std::vector<Rank>& members = communicator.members;
  switch (draw.below(6)) {
    case 0: members.push_back(draw.rank()); return;
    case 1: communicator.is_inter = !communicator.is_inter; return;
    case 2: communicator.nth = static_cast<Count>(draw.below(3)); return;
    case 3: draw.shuffle(members); return;
    case 4:
      if (!members.empty()) members.pop_back();
      return;
    default:
      if (!members.empty()) draw.one_of(members) = draw.rank();
  }
}

// The entries of another rank, or fewer of them.
void change_entries(RankContents& contents, const RankContents& other, Drawing& draw) {
  RecordedRank& own = contents.recorded;
  own.entries = other.recorded.entries, own.calls = other.recorded.calls;
  if (draw.one_in(2)) own.calls = static_cast<Count>(draw.below(index(own.calls) + 2));
}

void change_facts(RankContents& contents, Drawing& draw) {
  constexpr const char* libraries[] = {"Open MPI v4.1.4", "Open MPI v5.0.7", "MPICH Version: 4.2.1", "Some MPI"};
  RecordedRank& recorded = contents.recorded;
  switch (draw.below(5)) {
    case 0: contents.facts.mpi = draw.one_of(libraries); return;
    case 1: contents.facts.host = "there"; return;
    case 2: recorded.unseen_calls = draw.one_of(crafted_bytes); return;
    case 3: recorded.functions.push_back({"Send", draw.one_of(crafted_bytes), 1e9 * static_cast<double>(draw.below(5))}); return;
    default: recorded.seconds = draw.one_in(2) ? 0 : 4e9;
  }
}

void change(std::vector<RankContents>& all, Drawing& draw) {
  const std::size_t kind = draw.below(8), rank = draw.below(all.size()), other = draw.below(all.size());
  const bool on_all = draw.one_in(3);
  const std::uint64_t seed = draw.below(1u << 30);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!on_all && i != rank) continue;
    Drawing same(seed);
    if (kind < 4 && !all[i].sites.empty()) change(same.one_of(all[i].sites), all[i].communicators.size(), same);
    if (kind == 4 || kind == 5) change(same.one_of(all[i].communicators), same);
    if (kind == 6) change_entries(all[i], all[other], same);
    if (kind == 7) change_facts(all[i], same);
  }
}

ProjectionOptions drawn_options(Count ranks, Drawing& draw) {
  constexpr const char* machines[] = {"hdr", "ethernet100", "ndr", "t3e"};
  constexpr double factors[] = {1, 1, 0, 0.5, 1e6};
  ProjectionOptions options{.machine = find_machine(draw.one_of(machines)), .draws = 5};
  if (!draw.one_in(3))
    for (Rank rank = 0; rank < ranks; ++rank) options.nodes.push_back(static_cast<Count>(draw.below(3)));
  if (!draw.one_in(3)) options.vendor = draw.one_in(2) ? "openmpi" : "openmpi5";
  options.computing = draw.one_of(factors), options.away = draw.one_of(factors);
  options.without_late_ranks = draw.one_in(4), options.without_correction = draw.one_in(4);
  if (draw.one_in(3)) options.total_cores = static_cast<Count>(1 + draw.below(4));
  if (draw.one_in(3)) options.chosen = {{Collective::alltoall, "bruck:radix=3"}, {Collective::allreduce, "ring"}};
  if (draw.one_in(3)) {
    options.pieces.watch = [](const ProjectedPiece& piece) { EXPECT_LT(piece.begin_s, piece.end_s); };
    options.pieces.from_s = static_cast<double>(draw.below(2)) * 50e-6;
  }
  return options;
}

void expect_sound(const Projection& projection) {
  for (const ProjectedRun* const run : {&projection.vendor, &projection.ours}) {
    EXPECT_GE(run->total.value, 0);
    for (const Band& part : run->parts) EXPECT_TRUE(std::isfinite(part.value)) << part.value;
  }
  for (const ProjectedRow& row : projection.rows) {
    EXPECT_GE(row.least_bytes, 0) << row.function;
    EXPECT_GE(row.most_bytes, row.least_bytes) << row.function;
    EXPECT_TRUE(std::isfinite(row.vendor.seconds) && std::isfinite(row.ours.seconds)) << row.function;
  }
}

class CraftedRecordings : public testing::OwnFolder {
 protected:
  // Does something with a recording; true unless it is refused.
  template <class Use>
  bool use(const Use& with) {
    try {
      with();
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      return false;
    }
    return true;
  }

  void use_all(const Recording& recording, Drawing& draw) {
    std::ostringstream text;
    use([&] { recording::write_json(text, recording); });
    use([&] { recording::phases(recording, 5); });
    use([&] { recording::window_of(recording, 0, 1, 10); });
    const ProjectionOptions options = drawn_options(recording.world_size, draw);
    projected_ += use([&] { expect_sound(project(recording, options)); });
    use([&] { write_goal(text, recording, options, draw.one_in(2) ? Implementation::vendor : Implementation::ours); });
    RankScale scale{.from = {recording.world_size}, .to = {recording.world_size * 2}, .blocks = draw.one_of(rules_)};
    if (draw.one_in(2))
      scale = {.from = {2, recording.world_size / 2}, .to = {4, recording.world_size / 2}, .blocks = scale.blocks};
    scaled_ += use([&] {
      const Recording more = scaled(recording, scale);
      expect_sound(project(more, drawn_options(more.world_size, draw)));
    });
  }

  const BlockScale rules_[3] = {BlockScale::same, BlockScale::weak, BlockScale::strong};
  std::uint64_t projected_ = 0, scaled_ = 0;
};

TEST_F(CraftedRecordings, AreProjectedOrRefused) {
  const std::uint64_t cases = testing::number_in_environment("QUADRILLE_FUZZ", testing::sanitized ? 100 : 200);
  const std::uint64_t seed = testing::number_in_environment("QUADRILLE_SEED", 56);
  testing::LastWords last_words;
  std::uint64_t readable = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    last_words.text = "QUADRILLE_SEED=" + std::to_string(seed + i) + " QUADRILLE_FUZZ=1\n";
    ::alarm(most_seconds_of_crafted);
    Drawing draw(seed + i);
    std::vector<RankContents> all = drawn_program(draw).contents();
    for (std::size_t changes = draw.below(4); changes > 0; --changes) change(all, draw);
    for (const RankContents& each : all) MadeRecording::write(place_.string(), each);
    Recording recording;
    if (use([&] { recording = read_recording(place_.string()); })) {
      ++readable;
      use_all(recording, draw);
    }
    for (const auto& file : std::filesystem::directory_iterator(place_)) std::filesystem::remove(file);
    if (HasFailure()) FAIL() << last_words.text;
  }
  ::alarm(0);
  if (cases < 100) return;
  EXPECT_LT(readable, cases);
  EXPECT_GT(projected_, cases / 4);
  EXPECT_GT(scaled_, cases / 20);
}

// A few kilobytes of a folded recording can state millions of starts that nothing completes.
TEST_F(CraftedRecordings, AreRefusedWithTooManyCallsUnderWay) {
  MadeRecording program(2);
  const std::uint32_t start = program.site({.kind = RecordedKind::start, .function = "Ibarrier", .communicator = 0});
  for (int i = 0; i <= 100'000; ++i) program.add(0, start);
  try {
    project(program.made(), {.machine = find_machine("hdr"), .nodes = {0, 0}});
    ADD_FAILURE() << "it was projected";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::too_large) << error.what();
  }
}

}  // namespace
}  // namespace quadrille::projection

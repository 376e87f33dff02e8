// SPDX-License-Identifier: BSD-3-Clause
// Irregular exchanges in passes: in each, a rank hands parts of what it has, cut into slices of pairs, to others, and in the end
// everything is where it belongs. Which part goes to whom in a pass is a SliceRoute, and needs no more than what the rank has; what
// others will send is told by headers, or by an analysis that knows all counts.
//
// In a message slices stand by target (in the order of the route's places), then source, then offset. What arrives in a pass stands
// in one of two areas, in the order of rounds [liu2002, theorem 1]. Passes alternate between the areas: a pass reads one of them,
// and the input, and fills the other. The first area is scratch memory. The second is the output, which holds no results before
// the last pass, and where it is too small, more scratch memory. The pass before the last fills the first area. What a rank has
// for itself in a pass is not sent: it is copied to the area that the pass fills, unless it is still in the input, where it stays.
#pragma once

#include <functional>
#include <map>

#include "collectives/counts_agreement.hpp"
#include "collectives/growing_area.hpp"
#include "collectives/slice_code.hpp"
#include "quadrille/program_builder.hpp"
#include "quadrille/staged_program.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {

// Where a rank holds something: in its input, or in what arrived in a pass.
enum class Held : std::uint8_t { input, scratch, output };

// Bytes [first, last) of what `source` has for the target at a place, and where a rank holds them.
struct HeldSlice : CodedSlice {
  Rank target = 0;
  Held in = Held::input;
  Bytes offset = 0;  // in the input, or in that area

  Bytes length() const { return last - first; }
  HeldSlice part(Bytes from, Bytes to) const;  // of the same bytes
};

// Pure, and without a rank of its own: one serves all.
class SliceRoute {
 public:
  struct Meeting {
    std::optional<Rank> to, from;  // others than the rank itself
  };
  using Hand = std::function<void(const HeldSlice& slice, Rank to)>;  // in the order of what is held

  virtual ~SliceRoute() = default;
  virtual Count ranks() const = 0;
  virtual Count passes() const = 0;  // at least 1
  virtual std::string_view name(Count pass) const = 0;
  virtual std::vector<Meeting> meetings(Count pass, Rank me) const = 0;  // round by round
  virtual Count place_of(Rank target) const = 0;                         // a numbering of the ranks
  virtual Rank at_place(Count place) const = 0;
  // Hands on everything that is held, by place, then source, then offset.
  virtual void deal(Count pass, Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const = 0;
};

// What comes from each sender in a pass, in the order of a message. Slices that touch are one.
using Arrivals = std::map<Rank, std::vector<CodedSlice>>;
void add_slice(std::vector<CodedSlice>& slices, const CodedSlice& slice);

class SlicePasses : public StagedProgram {
 public:
  // Of the problem's counts it reads the row and the column of `me`.
  SlicePasses(const Problem& problem, std::shared_ptr<const SliceRoute> route, Bytes grain, bool with_headers,
              const CountsAgreement* agreement, Rank me);

  const std::vector<StagedRound>* next_stage() override;
  std::optional<Bytes> next_place() const override;
  Regions arrived(Rank from, std::span<const std::uint8_t> header, Bytes payload) override;
  Program finish() override;

  // For those who know what will come: the whole program.
  Program run(const std::function<Arrivals(Count pass)>& arrivals) &&;

 private:
  struct Received {
    Regions regions;
    Bytes header_bytes = 0;
  };

  bool last_pass() const { return pass_ == route_->passes() - 1; }
  Held filled() const { return (route_->passes() - pass_) % 2 == 0 ? Held::scratch : Held::output; }  // in this pass, not the last
  GrowingArea& area(Held in) { return in == Held::scratch ? scratch_area_ : output_area_; }
  const GrowingArea& area(Held in) const { return in == Held::scratch ? scratch_area_ : output_area_; }
  void append_to(Regions& regions, const HeldSlice& slice) const;
  void keep(const HeldSlice& slice);
  Regions place(Rank from, const std::vector<CodedSlice>& slices, Bytes header_bytes);
  Bytes output_offset(const CodedSlice& slice) const;
  void close_stage();

  const std::shared_ptr<const SliceRoute> route_;
  const Bytes grain_;
  const bool with_headers_;
  const Rank me_;
  const std::vector<Share> column_;  // what this rank receives, by sender
  ProgramBuilder program_;
  Count pass_ = -1;
  std::vector<HeldSlice> held_, kept_;  // before the pass; after it, unsorted
  std::vector<StagedRound> rounds_;
  std::vector<Received> received_;  // by round
  std::size_t next_received_ = 0;   // the first round whose message is still to come
  Bytes scratch_ = 0, missing_ = 0;
  GrowingArea scratch_area_, output_area_;
};

}  // namespace quadrille

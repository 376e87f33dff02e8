// SPDX-License-Identifier: BSD-3-Clause
// Irregular exchanges in passes. A pair is a source and a target with data to move; a slice is a run of bytes of a
// pair's data. In each pass a rank cuts its data into slices and hands them to other ranks. After the last pass all
// data is at its target. A SliceRoute decides which slices go to which rank; for this decision it needs only the
// data that the rank holds. A rank learns from headers, or from an analysis that knows all counts, which slices it will receive.
//
// In a message, slices are ordered by target (in the order of the route's places), then by source, then by offset. Data
// that arrives in a pass is stored in one of two areas, in the order of rounds [liu2002, theorem 1]. Passes alternate
// between the areas: a pass reads one area and the input, and fills the other area. The first area is scratch memory. The second
// area is the output, which holds no results before the last pass; if the output is too small, the area is extended by scratch
// memory. The pass before the last one fills the first area, so that the last pass can write the output. A rank does not send the
// data that it keeps in a pass: it copies the data to the area that the pass fills, or leaves it in the input if the data is
// still there.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "collectives/slices/slice_code.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {

// Memory that is filled from its beginning. When it is full, it grows at the end of scratch memory. Several areas share
// one scratch memory. An area keeps all runs of memory that it ever had, so that it can be filled again.
class GrowingArea {
 public:
  GrowingArea() = default;
  explicit GrowingArea(const Region& first);  // the first run: contiguous, may be empty

  void clear() { used_ = 0; }

  // Reserves `length` more bytes and returns their offset within the area. If the area is full, it grows, and so does
  // `scratch`, the size of scratch memory so far. Throws Error{too_large} if a size reaches 2^63 bytes.
  Bytes take(Bytes length, Bytes& scratch);

  // Appends to `regions` the memory of bytes [offset, offset + length) of the area.
  void append_to(Regions& regions, Bytes offset, Bytes length) const;

 private:
  Regions runs_;
  Bytes size_ = 0, used_ = 0;
};

// Where a rank holds a slice: in its input, or in the area (scratch memory or output) that a pass has filled.
enum class Held : std::uint8_t { input, scratch, output };

// A slice: bytes [first, last) of the data that `source` has for `target`, and where a rank holds them.
struct HeldSlice : CodedSlice {
  Rank target = 0;
  Held in = Held::input;
  Bytes offset = 0;  // in the input or in the area

  Bytes length() const { return last - first; }
  HeldSlice part(Bytes from, Bytes to) const;  // bytes [from, to) of this slice
};

// Decides to which rank each slice goes. Pure, and independent of the rank: one object serves all ranks.
class SliceRoute {
 public:
  struct Meeting {
    std::optional<Rank> to, from;  // never the rank itself
  };
  using Hand = std::function<void(const HeldSlice& slice, Rank to)>;  // called in the order of the held slices

  virtual ~SliceRoute() = default;
  virtual Count ranks() const = 0;
  virtual Count passes() const = 0;  // at least 1
  virtual std::string_view name(Count pass) const = 0;
  virtual std::vector<Meeting> meetings(Count pass, Rank me) const = 0;  // one for each round
  virtual Count place_of(Rank target) const = 0;                         // a numbering of the ranks by which slices are sorted
  virtual Rank at_place(Count place) const = 0;
  // Calls `hand` for every part of every slice in `held`, which is ordered by place, then source, then offset.
  virtual void deal(Count pass, Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const = 0;
};

// For each sender: the slices that this rank receives from it in a pass, in the order of the message.
using Arrivals = std::map<Rank, std::vector<CodedSlice>>;
// Appends a slice, or extends the last slice by it if both are adjacent. Drops an empty slice.
void add_slice(std::vector<CodedSlice>& slices, const CodedSlice& slice);

// The program of one rank for an exchange along a route.
class SlicePasses : public IncrementalProgram {
 public:
  // Reads only `me`'s own row and column of the problem's counts.
  SlicePasses(const Problem& problem, std::shared_ptr<const SliceRoute> route, Bytes grain, bool with_headers,
              const CountsAgreement* agreement, Rank me);

  const std::vector<IncrementalRound>* next_stage() override;
  Regions arrived(Rank from, std::span<const std::uint8_t> header, Bytes payload) override;
  Program finish() override;

  // Generates the whole program, given the slices that arrive in each pass.
  Program run(const std::function<Arrivals(Count pass)>& arrivals) &&;

 private:
  struct Received {
    Regions regions;
    Bytes header_bytes = 0;
  };

  bool last_pass() const { return pass_ == route_->passes() - 1; }
  // The area that the current pass fills. The last pass fills none.
  Held filled() const { return (route_->passes() - pass_) % 2 == 0 ? Held::scratch : Held::output; }
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
  const std::vector<Share> column_;  // data that this rank receives, by sender
  ProgramBuilder program_;
  Count pass_ = -1;
  std::vector<HeldSlice> held_, kept_;  // slices held before this pass; slices held after it, unsorted
  std::vector<IncrementalRound> rounds_;
  std::vector<Received> received_;  // by round
  std::size_t next_received_ = 0;   // first round whose message has not arrived yet
  Bytes scratch_ = 0, missing_ = 0;
  GrowingArea scratch_area_, output_area_;
};

// The result of `analyse` for an exchange along a route, with all counts known or with headers.
struct RouteAnalysis : Analysis {
  virtual Program program(const Problem& problem, Rank me) const = 0;
};

// For Algorithm::analyse, with the parameter `counts`, for any SliceRoute. Replays the dealing of every pass once for all ranks
// to find the slices that each rank receives, and stores them as the headers of all messages. Takes time proportional to the
// number of slices. Throws Error{too_large} if all passes together have more than 2^28 slices.
std::shared_ptr<const RouteAnalysis> replay_route(const Problem& problem, const Parameters& parameters,
                                                  std::shared_ptr<const SliceRoute> route, Bytes grain);

// For Algorithm::generate; works with every RouteAnalysis.
Program program_by_route(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me);

// For Algorithm::incremental.
std::unique_ptr<IncrementalProgram> route_in_stages(const Problem& problem, const Parameters& parameters,
                                                    std::shared_ptr<const SliceRoute> route, Bytes grain, Rank me);

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/slices/slice_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "collectives/slices/pairs.hpp"
#include "problem/limits.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

[[noreturn]] void fail(Rank from, std::string_view what) {
  throw Error(ErrorCode::malformed, fmt::format("a message from rank {} {}; do all ranks have the same counts?", from, what));
}

constexpr Count most_slices = Count{1} << 28;  // takes about a minute

class RouteReplay : public RouteAnalysis {
 public:
  RouteReplay(const Problem& problem, const Parameters& parameters, std::shared_ptr<const SliceRoute> route, Bytes grain)
      : route_(std::move(route)), grain_(grain), with_headers_(has_headers(parameters)) {
    if (word(parameters, "counts") == "gathered") agreement_.emplace(problem);
    Count slices = 0;
    for (Count pass = 0; pass < route_->passes(); ++pass) {
      Messages messages;
      messages.to.resize(index(problem.ranks));
      for (Rank rank = 0; rank < problem.ranks; ++rank) {
        slices += deal(pass, rank, pass == 0 ? own_slices(problem, rank) : held_after(passes_.back(), rank), messages);
        check_limit(problem, slices, most_slices, "slices to follow");
      }
      passes_.push_back(std::move(messages));
    }
  }

  Program program(const Problem& problem, Rank me) const override {
    return SlicePasses(problem, route_, grain_, with_headers_, agreement_ ? &*agreement_ : nullptr, me).run([&](Count pass) {
      const Messages& messages = passes_[index(pass)];
      Arrivals arrivals;
      for (const Message& message : messages.to[index(me)])
        if (message.from != me) arrivals.emplace(message.from, decode_slices(code_of(messages, message), grain_));
      return arrivals;
    });
  }

 private:
  struct Message {
    Rank from = 0;  // the sender; the receiver itself for data that stays
    std::size_t first = 0, last = 0;
  };

  // All messages of a pass.
  struct Messages {
    std::vector<std::vector<Message>> to;  // by receiver, then by sender; empty messages are left out
    std::vector<std::uint8_t> codes;
  };

  static std::vector<std::uint8_t> code_of(const Messages& messages, const Message& message) {
    const auto at = [&](std::size_t offset) { return messages.codes.begin() + static_cast<std::ptrdiff_t>(offset); };
    return {at(message.first), at(message.last)};
  }

  std::vector<HeldSlice> own_slices(const Problem& problem, Rank rank) const {
    std::vector<HeldSlice> held;
    for (const Share& share : Traffic(problem).sent_by(rank))
      held.push_back({{route_->place_of(share.peer), rank, 0, share.bytes}, share.peer});
    return held;
  }

  std::vector<HeldSlice> held_after(const Messages& messages, Rank rank) const {
    std::vector<HeldSlice> held;
    for (const Message& message : messages.to[index(rank)])
      for (const CodedSlice& slice : decode_slices(code_of(messages, message), grain_))
        held.push_back({slice, route_->at_place(slice.target_place)});
    return held;
  }

  // Returns the number of slices.
  Count deal(Count pass, Rank rank, std::vector<HeldSlice> held, Messages& messages) const {
    std::sort(held.begin(), held.end(), comes_before);
    Count slices = 0;
    std::map<Rank, SliceCoder> coders;
    route_->deal(pass, rank, held, [&](const HeldSlice& slice, Rank to) {
      if (slice.length() == 0) return;
      coders.try_emplace(to, grain_).first->second.add(slice);
      ++slices;
    });
    for (const auto& [to, coder] : coders) {
      const std::vector<std::uint8_t> code = coder.code();
      const std::size_t first = messages.codes.size();
      messages.codes.insert(messages.codes.end(), code.begin(), code.end());
      messages.to[index(to)].push_back({rank, first, messages.codes.size()});
    }
    return slices;
  }

  const std::shared_ptr<const SliceRoute> route_;
  const Bytes grain_;
  const bool with_headers_;
  std::optional<CountsAgreement> agreement_;
  std::vector<Messages> passes_;
};

}  // namespace

GrowingArea::GrowingArea(const Region& first) : size_(first.length) { append(runs_, first); }

Bytes GrowingArea::take(Bytes length, Bytes& scratch) {
  const Bytes offset = used_;
  add_bytes(used_, length);
  if (used_ > size_) {
    append(runs_, {Buffer::scratch, scratch, used_ - size_, {}});
    add_bytes(scratch, used_ - size_);
    size_ = used_;
  }
  return offset;
}

void GrowingArea::append_to(Regions& regions, Bytes offset, Bytes length) const {
  for (const Region& run : runs_) {
    const Bytes part = std::min(length, run.length - offset);
    if (part > 0) {
      append(regions, {run.buffer, run.offset + offset, part, {}});
      length -= part;
    }
    offset = std::max<Bytes>(0, offset - run.length);
  }
}

HeldSlice HeldSlice::part(Bytes from, Bytes to) const {
  HeldSlice some = *this;
  some.first = first + from;
  some.last = first + to;
  some.offset = offset + from;
  return some;
}

void add_slice(std::vector<CodedSlice>& slices, const CodedSlice& slice) {
  if (slice.first == slice.last) return;
  if (!slices.empty()) {
    CodedSlice& before = slices.back();
    if (before.target_place == slice.target_place && before.source == slice.source && before.last == slice.first) {
      before.last = slice.last;
      return;
    }
  }
  slices.push_back(slice);
}

SlicePasses::SlicePasses(const Problem& problem, std::shared_ptr<const SliceRoute> route, Bytes grain, bool with_headers,
                         const CountsAgreement* agreement, Rank me)
    : route_(std::move(route)),
      grain_(grain),
      with_headers_(with_headers),
      me_(me),
      column_(Traffic(problem).received_by(me)),
      program_(me) {
  if (agreement) agreement->add_to(program_, me);
  for (const Share& share : Traffic(problem).sent_by(me))
    kept_.push_back({{route_->place_of(share.peer), me, 0, share.bytes}, share.peer, Held::input, share.offset});
  for (const Share& share : column_) missing_ += share.bytes;
  output_area_ = GrowingArea({Buffer::output, 0, missing_, {}});
}

const std::vector<IncrementalRound>* SlicePasses::next_stage() {
  close_stage();
  if (++pass_ >= route_->passes()) return nullptr;
  held_ = std::move(kept_);
  kept_.clear();
  std::sort(held_.begin(), held_.end(), comes_before);
  auto meetings = route_->meetings(pass_, me_);
  if (meetings.empty()) meetings.emplace_back();  // a single rank has no meetings
  std::map<Rank, std::size_t> round_of;           // by receiver: the round in which this rank sends to it
  for (std::size_t round = 0; round < meetings.size(); ++round)
    if (meetings[round].to) round_of[*meetings[round].to] = round;

  rounds_.assign(meetings.size(), {});
  received_.assign(meetings.size(), {});
  next_received_ = 0;
  if (!last_pass()) area(filled()).clear();  // the previous pass has emptied it
  std::vector<SliceCoder> coders(meetings.size(), SliceCoder(grain_));
  for (std::size_t round = 0; round < meetings.size(); ++round)
    std::tie(rounds_[round].to, rounds_[round].from) = std::tie(meetings[round].to, meetings[round].from);
  route_->deal(pass_, me_, held_, [&](const HeldSlice& slice, Rank to) {
    if (slice.length() == 0) return;
    if (to == me_) return keep(slice);
    const auto found = round_of.find(to);
    if (found == round_of.end()) fail(slice.source, "is for a rank that this one does not send to");
    append_to(rounds_[found->second].read, slice);
    if (with_headers_) coders[found->second].add(slice);
  });
  if (with_headers_)
    for (std::size_t round = 0; round < meetings.size(); ++round)
      if (rounds_[round].to) rounds_[round].header = coders[round].code();
  return &rounds_;
}

// Handles a slice that the rank keeps for itself.
void SlicePasses::keep(const HeldSlice& slice) {
  IncrementalRound& round = rounds_.front();
  kept_.push_back(slice);
  if (last_pass()) {
    append_to(round.copy_source, slice);
    append(round.copy_target, {Buffer::output, output_offset(slice), slice.length(), {}});
  } else if (slice.in != Held::input) {
    HeldSlice& moved = kept_.back();
    moved.in = filled();
    moved.offset = area(moved.in).take(slice.length(), scratch_);
    append_to(round.copy_source, slice);
    append_to(round.copy_target, moved);
  }
}

void SlicePasses::append_to(Regions& regions, const HeldSlice& slice) const {
  if (slice.in == Held::input)
    append(regions, {Buffer::input, slice.offset, slice.length(), {}});
  else
    area(slice.in).append_to(regions, slice.offset, slice.length());
}

Regions SlicePasses::arrived(Rank from, std::span<const std::uint8_t> header, Bytes payload) {
  const std::vector<CodedSlice> slices = decode_slices({header.begin(), header.end()}, grain_);
  Bytes told = 0;
  for (const CodedSlice& slice : slices) {
    if (std::max(slice.target_place, slice.source) >= route_->ranks() || slice.first >= slice.last)
      fail(from, "names a rank that does not exist, or an empty slice");
    if (__builtin_add_overflow(told, slice.last - slice.first, &told)) fail(from, "has a header with more data than is possible");
  }
  if (told != payload) fail(from, "does not have the length that its header states");
  return place(from, slices, static_cast<Bytes>(header.size()));
}

Regions SlicePasses::place(Rank from, const std::vector<CodedSlice>& slices, Bytes header_bytes) {
  while (next_received_ < rounds_.size() && rounds_[next_received_].from != from) ++next_received_;
  if (next_received_ == rounds_.size()) fail(from, "arrives out of order");
  Received& received = received_[next_received_++];
  received.header_bytes = header_bytes;
  for (const CodedSlice& slice : slices) {
    if (last_pass()) {
      append(received.regions, {Buffer::output, output_offset(slice), slice.last - slice.first, {}});
    } else {
      const Bytes offset = area(filled()).take(slice.last - slice.first, scratch_);
      kept_.push_back({slice, route_->at_place(slice.target_place), filled(), offset});
      append_to(received.regions, kept_.back());
    }
  }
  return received.regions;
}

Bytes SlicePasses::output_offset(const CodedSlice& slice) const {
  const auto share = std::lower_bound(column_.begin(), column_.end(), slice.source,
                                      [](const Share& entry, Rank source) { return entry.peer < source; });
  if (slice.target_place != route_->place_of(me_) || share == column_.end() || share->peer != slice.source ||
      slice.last > share->bytes)
    fail(slice.source, "has more data for this rank than expected");
  return share->offset + slice.first;
}

void SlicePasses::close_stage() {
  if (rounds_.empty()) return;
  program_.stage(std::string(route_->name(pass_)));
  for (std::size_t i = 0; i < rounds_.size(); ++i) {
    IncrementalRound& round = rounds_[i];
    program_.begin_round();
    if (last_pass()) missing_ -= bytes(round.copy_target) + bytes(received_[i].regions);
    program_.copy(std::move(round.copy_source), std::move(round.copy_target));
    if (round.to) {
      if (with_headers_) program_.control_send(*round.to, static_cast<Bytes>(round.header.size()));
      program_.send(*round.to, std::move(round.read));
    }
    if (round.from) {
      if (with_headers_) program_.control_receive(*round.from, received_[i].header_bytes);
      program_.receive(*round.from, std::move(received_[i].regions));
    }
  }
  rounds_.clear();
}

Program SlicePasses::finish() {
  if (missing_ != 0)
    throw Error(ErrorCode::malformed,
                fmt::format("{} bytes that rank {} expects were not sent; do all ranks have the same counts?", missing_, me_));
  program_.scratch(scratch_);
  return std::move(program_).finish();
}

Program SlicePasses::run(const std::function<Arrivals(Count pass)>& arrivals) && {
  while (next_stage()) {
    const Arrivals coming = arrivals(pass_);
    for (const IncrementalRound& round : rounds_) {
      if (!round.from) continue;
      const auto found = coming.find(*round.from);
      static const std::vector<CodedSlice> nothing;
      const std::vector<CodedSlice>& slices = found == coming.end() ? nothing : found->second;
      Bytes header_bytes = 0;
      if (with_headers_) {
        SliceCoder coder(grain_);
        for (const CodedSlice& slice : slices) coder.add(slice);
        header_bytes = coder.size();
      }
      place(*round.from, slices, header_bytes);
    }
  }
  return finish();
}

std::shared_ptr<const RouteAnalysis> replay_route(const Problem& problem, const Parameters& parameters,
                                                  std::shared_ptr<const SliceRoute> route, Bytes grain) {
  return std::make_shared<RouteReplay>(problem, parameters, std::move(route), grain);
}

Program program_by_route(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  return static_cast<const RouteAnalysis&>(*analysis).program(problem, me);
}

std::unique_ptr<IncrementalProgram> route_in_stages(const Problem& problem, const Parameters& parameters,
                                                    std::shared_ptr<const SliceRoute> route, Bytes grain, Rank me) {
  if (!has_headers(parameters)) return nullptr;
  return std::make_unique<SlicePasses>(problem, std::move(route), grain, /*with_headers=*/true, nullptr, me);
}

}  // namespace quadrille

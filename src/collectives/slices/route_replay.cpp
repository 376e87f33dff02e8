// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/slices/route_replay.hpp"

#include <algorithm>

#include "problem/limits.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

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

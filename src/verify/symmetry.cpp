// SPDX-License-Identifier: BSD-3-Clause
// Testing a stated symmetry: the image of the representative's program must be the program made for the rank itself.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "quadrille/verify.hpp"
#include "schedule/symmetry.hpp"

namespace quadrille {
namespace {

// Bytes as (buffer, position), after moving blocks that are indexed by rank. Runs are cut at block borders.
struct Placed {
  Buffer buffer;
  Bytes offset, length;
  bool operator==(const Placed&) const = default;
};

class ImageOf {
 public:
  ImageOf(const Schedule& schedule, Rank rank) : schedule_(schedule), rank_(rank) {}

  Rank operator()(Rank x) const { return schedule_.symmetry->image(rank_, x); }

  std::vector<Placed> placed(const Regions& regions, bool moved) const {
    std::vector<Placed> list;
    const Bytes block = schedule_.problem.block_bytes;
    for (const Region& region : regions)
      for_each_run(region, [&](Bytes offset, Bytes length) {
        while (length > 0) {
          Bytes part = length, where = offset;
          if (block > 0 && is_indexed_by_rank(region.buffer, schedule_.problem.collective)) {
            part = std::min(length, block - offset % block);
            if (moved) where = (*this)(offset / block) * block + offset % block;
          }
          append(list, {region.buffer, where, part});
          offset += part;
          length -= part;
        }
      });
    return list;
  }

 private:
  static void append(std::vector<Placed>& list, const Placed& next) {
    if (!list.empty() && list.back().buffer == next.buffer && list.back().offset + list.back().length == next.offset)
      list.back().length += next.length;
    else
      list.push_back(next);
  }

  const Schedule& schedule_;
  Rank rank_;
};

// The order of operands is left out: who is the lower rank changes with the group, and nothing that is counted depends on it.
std::string difference(const Program& representative, const Program& own, const ImageOf& image) {
  const auto same_regions = [&](const Regions& a, const Regions& b) { return image.placed(a, true) == image.placed(b, false); };
  const auto same_messages = [&](const std::vector<Message>& a, const std::vector<Message>& b) {
    // The group may change the order in which a round's messages are listed.
    std::map<std::pair<Rank, std::optional<Port>>, const Message*> others;
    for (const Message& other : b) others[{other.peer, other.port}] = &other;
    return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const Message& message) {
             const auto other = others.find({image(message.peer), message.port});
             return other != others.end() && same_regions(message.regions, other->second->regions);
           });
  };
  const auto same_controls = [&](const std::vector<Control>& a, const std::vector<Control>& b) {
    std::multiset<std::pair<Rank, Bytes>> images, others;
    for (const Control& control : a) images.emplace(image(control.peer), control.bytes);
    for (const Control& control : b) others.emplace(control.peer, control.bytes);
    return images == others;
  };
  if (representative.stages != own.stages) return "other stages";
  if (representative.scratch_bytes != own.scratch_bytes) return "another size of scratch";
  if (representative.rounds.size() != own.rounds.size()) return "another number of rounds";
  for (std::size_t r = 0; r < own.rounds.size(); ++r) {
    const Round& a = representative.rounds[r];
    const Round& b = own.rounds[r];
    const bool same_locals =
        std::equal(a.locals.begin(), a.locals.end(), b.locals.begin(), b.locals.end(), [&](const Local& x, const Local& y) {
          return x.kind == y.kind && same_regions(x.source, y.source) && same_regions(x.target, y.target);
        });
    if (a.number != b.number) return fmt::format("round {} instead of round {}", b.number, a.number);
    if (!same_locals) return fmt::format("other local operations in round {}", b.number);
    if (!same_messages(a.sends, b.sends)) return fmt::format("other sends in round {}", b.number);
    if (!same_messages(a.receives, b.receives)) return fmt::format("other receives in round {}", b.number);
    if (!same_controls(a.control_sends, b.control_sends) || !same_controls(a.control_receives, b.control_receives))
      return fmt::format("other control messages in round {}", b.number);
  }
  return "";
}

}  // namespace

std::optional<std::string> check_symmetry(const Schedule& schedule, const std::vector<Rank>& ranks) {
  if (!schedule.symmetry) return std::nullopt;
  for (const Rank rank : ranks) {
    const Rank representative = schedule.symmetry->representative_of(rank);
    const std::string found = difference(schedule.program(representative), schedule.program(rank), ImageOf(schedule, rank));
    if (!found.empty()) return fmt::format("rank {} is not the image of rank {}: {}", rank, representative, found);
  }
  return std::nullopt;
}

}  // namespace quadrille

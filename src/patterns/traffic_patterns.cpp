// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <unordered_set>

#include "patterns/rank_array.hpp"
#include "problem/limits.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"

namespace quadrille {
namespace {

constexpr std::array<std::string_view, 11> names{"spike",       "transpose",  "equal",      "uniform", "normal", "power-law",
                                                 "permutation", "all-to-one", "one-to-all", "sparse",  "groups"};

constexpr Count most_ranks_dense = Count{1} << 14;  // 2 GiB of counts

// Own distributions, because those of the standard library differ between implementations.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  Count below(Count end) { return static_cast<Count>(random_() % static_cast<std::uint64_t>(end)); }
  double fraction() { return std::ldexp(static_cast<double>(random_() >> 11), -53); }  // [0, 1)
  double normal() {  // the sum of twelve fractions has standard deviation 1
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += fraction();
    return sum;
  }

 private:
  std::mt19937_64 random_;
};

template <class Count_of>
Problem dense(Count p, Count_of&& count_of) {
  if (p > most_ranks_dense)
    throw Error(ErrorCode::too_large,
                fmt::format("{} ranks have too many counts; dense traffic is for {} at most", p, most_ranks_dense));
  std::vector<Bytes> counts;
  counts.reserve(index(p * p));
  for (Rank from = 0; from < p; ++from)
    for (Rank to = 0; to < p; ++to) counts.push_back(count_of(from, to));
  return Problem::alltoallv(p, std::move(counts));
}

// One large count per rank, and the same small count to all other ranks.
template <class Target>
Problem one_each(Count p, Bytes most, Bytes small, Target&& target) {
  if (small > 0) {
    std::vector<Rank> targets;
    for (Rank from = 0; from < p; ++from) targets.push_back(target(from));
    return dense(p, [&](Rank from, Rank to) { return to == targets[index(from)] ? most : small; });
  }
  std::vector<TrafficEntry> entries;
  for (Rank from = 0; from < p; ++from) entries.push_back({from, target(from), most});
  return Problem::alltoallv(p, std::move(entries));
}

Bytes rounded(double bytes, double most) {
  return static_cast<Bytes>(std::clamp(std::floor(bytes + 0.5), 0.0, std::min(most, 0x1p62)));
}

Problem power_law(Count p, Bytes typical, Draw& draw) {
  // The mean of a power law with exponent 3/2 is three times its minimum.
  const double least = static_cast<double>(typical) / 3, most = static_cast<double>(typical) * static_cast<double>(p);
  return dense(p, [&](Rank, Rank) { return rounded(least / std::cbrt(std::pow(1 - draw.fraction(), 2)), most); });
}

Problem sparse(Count p, const TrafficPattern& pattern, Draw& draw) {
  const Count partners = std::clamp<Count>(std::llround(pattern.density * static_cast<double>(p)), 1, p);
  std::vector<TrafficEntry> entries;
  for (Rank from = 0; from < p; ++from) {
    // Floyd's algorithm for drawing a random set: for each of the last `partners` ranks, call it r, draw one of 0 .. r. If the
    // drawn rank is already in the set, take r instead.
    std::unordered_set<Rank> chosen;
    for (Rank last = p - partners; last < p; ++last) {
      Rank to = draw.below(last + 1);
      if (!chosen.insert(to).second) chosen.insert(to = last);
      entries.push_back({from, to, pattern.typical == 0 ? 0 : 1 + draw.below(2 * pattern.typical)});
    }
  }
  return Problem::alltoallv(p, std::move(entries));
}

Problem groups(Count p, const TrafficPattern& pattern, Draw& draw) {
  if (pattern.senders < 0 || pattern.senders > p)
    throw Error(ErrorCode::misuse, fmt::format("{} of {} ranks cannot be senders", pattern.senders, p));
  const Count senders = pattern.senders == 0 ? p / 2 : pattern.senders;
  return dense(p, [&](Rank from, Rank to) { return from < senders && to >= senders ? draw.below(2 * pattern.typical + 1) : 0; });
}

}  // namespace

std::string_view name(TrafficKind kind) { return names[static_cast<std::size_t>(kind)]; }

std::optional<TrafficKind> traffic_kind_named(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<TrafficKind>(found - names.begin());
}

const std::vector<TrafficKind>& all_traffic_kinds() {
  static const std::vector<TrafficKind> kinds = [] {
    std::vector<TrafficKind> list;
    for (std::size_t i = 0; i < names.size(); ++i) list.push_back(static_cast<TrafficKind>(i));
    return list;
  }();
  return kinds;
}

Problem make_traffic(Count p, const TrafficPattern& pattern) {
  if (p < 1) throw Error(ErrorCode::misuse, "traffic needs one rank at least");
  if (std::min({pattern.most, pattern.small, pattern.typical}) < 0)
    throw Error(ErrorCode::misuse, "sizes of traffic are 0 bytes or more");
  if (pattern.typical > std::numeric_limits<Bytes>::max() / 4)
    throw Error(ErrorCode::too_large, "traffic of that size reaches 2^63 bytes");
  if (!(pattern.density >= 0 && pattern.density <= 1)) throw Error(ErrorCode::misuse, "the density of traffic is between 0 and 1");
  const Bytes typical = pattern.typical;
  Draw draw(pattern.seed);
  switch (pattern.kind) {
    case TrafficKind::spike: return one_each(p, pattern.most, pattern.small, [&](Rank) { return draw.below(p); });
    case TrafficKind::transpose: {
      const RankArray square(p, RankArray::paper_columns(p));  // position in column order: a permutation for any p
      return one_each(p, pattern.most, pattern.small, [&](Rank from) { return square.place_of(from); });
    }
    case TrafficKind::equal: return dense(p, [&](Rank, Rank) { return typical; });
    case TrafficKind::uniform: return dense(p, [&](Rank, Rank) { return draw.below(2 * typical + 1); });
    case TrafficKind::normal: {
      const auto mean = static_cast<double>(typical);
      return dense(p, [&](Rank, Rank) { return rounded(mean + mean / 4 * draw.normal(), 2 * mean); });
    }
    case TrafficKind::power_law: return power_law(p, typical, draw);
    case TrafficKind::permutation: {
      std::vector<Rank> targets(index(p));
      std::iota(targets.begin(), targets.end(), Rank{0});
      for (std::size_t i = targets.size(); i > 1; --i) std::swap(targets[i - 1], targets[index(draw.below(static_cast<Count>(i)))]);
      return one_each(p, typical, 0, [&](Rank from) { return targets[index(from)]; });
    }
    case TrafficKind::all_to_one: return one_each(p, typical, 0, [](Rank) { return Rank{0}; });
    case TrafficKind::one_to_all: {
      std::vector<TrafficEntry> entries;
      for (Rank to = 0; to < p; ++to) entries.push_back({0, to, typical});
      return Problem::alltoallv(p, std::move(entries));
    }
    case TrafficKind::sparse: return sparse(p, pattern, draw);
    case TrafficKind::groups: return groups(p, pattern, draw);
  }
  return Problem::alltoallv(p, std::vector<TrafficEntry>{});
}

std::vector<Bytes> drawn_sizes(Count how_many, Bytes typical, Bytes element_bytes) {
  if (typical < 0 || element_bytes < 1)
    throw Error(ErrorCode::misuse, "drawn sizes are 0 bytes or more, of elements of one byte or more");
  if (typical > std::numeric_limits<Bytes>::max() / 2 - 1)
    throw Error(ErrorCode::too_large, fmt::format("sizes of up to twice {} bytes reach 2^63 bytes", typical));
  if (how_many > most_listed)
    throw Error(ErrorCode::too_large, fmt::format("{} sizes are too many to draw; the limit is {}", how_many, most_listed));
  Draw draw(1);
  std::vector<Bytes> sizes(index(how_many));
  for (Bytes& size : sizes) size = draw.below(2 * typical / element_bytes + 1) * element_bytes;
  return sizes;
}

}  // namespace quadrille

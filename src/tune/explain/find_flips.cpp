// SPDX-License-Identifier: BSD-3-Clause
#include "tune/explain/find_flips.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace quadrille {
namespace {

constexpr Count accuracy = 32;  // a flip's place is found to one part in so many

using Examined = std::map<Count, Taken>;

// Returns true if all these ways are tied at all examined values from `from` up to `end`, exclusively.
bool are_tied(const std::vector<std::string>& ways, const Examined& examined, Count from, Count end) {
  for (auto each = examined.lower_bound(from); each != examined.end() && each->first < end; ++each)
    for (const std::string& way : ways)
      if (way != each->second.way && std::find(each->second.tied.begin(), each->second.tied.end(), way) == each->second.tied.end())
        return false;
  return true;
}

// Joins flips whose choices are tied.
std::vector<Flip> with_ties(const std::vector<Flip>& flips, const Examined& examined) {
  std::vector<Flip> joined;
  std::vector<std::string> ways;  // of the last of `joined`
  for (std::size_t i = 0; i < flips.size(); ++i) {
    const Count end = i + 1 < flips.size() ? flips[i + 1].from : std::numeric_limits<Count>::max();
    std::vector<std::string> more = ways;
    if (std::find(more.begin(), more.end(), flips[i].way) == more.end()) more.push_back(flips[i].way);
    if (joined.empty() || !are_tied(more, examined, joined.back().from, end)) {
      joined.push_back(flips[i]);
      ways = {flips[i].way};
    } else {
      ways = std::move(more);
      joined.back().tied.assign(ways.begin() + 1, ways.end());
    }
  }
  return joined;
}

}  // namespace

void find_changes(const Flip& first, const Flip& last, const std::function<std::string(Count)>& way_at,
                  const std::function<bool(Count from, Count to)>& is_near, std::vector<Flip>& changes) {
  if (first.way == last.way) return;
  if (is_near(first.from, last.from)) return changes.push_back(last);
  const Count place = first.from + (last.from - first.from) / 2;
  const Flip middle{place, way_at(place)};
  find_changes(first, middle, way_at, is_near, changes);
  find_changes(middle, last, way_at, is_near, changes);
}

Flips find_flips(const std::vector<Count>& values, bool bisects, Deadline deadline, const std::function<Taken(Count)>& taken_at) {
  const auto is_over = [&] { return std::chrono::steady_clock::now() > deadline; };
  const auto is_near = [&](Count from, Count to) { return to - from <= std::max<Count>(1, from / accuracy) || is_over(); };
  Examined examined;
  const auto way_at = [&](Count value) { return (examined[value] = taken_at(value)).way; };
  std::vector<Flip> known;  // the choice at each of the values
  Flips flips;
  for (const Count value : values) {
    if (is_over()) {
      flips.note = "looking further would take too long";
      break;
    }
    known.push_back({value, way_at(value)});
    flips.upto = value;
  }
  for (std::size_t i = 0; i < known.size(); ++i)
    if (i == 0)
      flips.list.push_back(known[i]);
    else if (bisects)
      find_changes(known[i - 1], known[i], way_at, is_near, flips.list);
    else if (known[i].way != known[i - 1].way)
      flips.list.push_back(known[i]);
  flips.list = with_ties(flips.list, examined);
  return flips;
}

std::vector<Count> powers_of_elements(Bytes element_bytes) {
  std::vector<Count> powers;
  for (Count elements = 1; elements * element_bytes <= most_block_bytes; elements *= 2) powers.push_back(elements);
  return powers;
}

Problem with_block(const Problem& problem, Bytes block_bytes, const AtBlock& at_block) {
  if (at_block) return at_block(block_bytes);
  Problem other = problem;
  other.block_bytes = block_bytes;
  check(other);
  return other;
}

bool has_other_blocks(const Problem& problem, const AtBlock& at_block) { return at_block || has_blocks(problem.collective); }

std::string why_no_other_blocks(const Problem& problem) {
  return problem.collective == Collective::barrier ? "a barrier has no blocks" : "the sizes are given";
}

}  // namespace quadrille

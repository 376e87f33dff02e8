// SPDX-License-Identifier: BSD-3-Clause
#include "flips.hpp"

#include <utility>

namespace quadrille::command {
namespace {

constexpr Count accuracy = 32;  // the place is known to one part of so many

class Search {
 public:
  Search(Deadline deadline, const std::function<std::string(Count)>& way_at) : deadline_(deadline), way_at_(way_at) {}

  // Adds the changes in (from, to], where `first` is taken at `from` and `last` at `to`.
  void look_between(Count from, const std::string& first, Count to, const std::string& last, std::vector<Flip>& found) const {
    if (first == last) return;
    if (to - from <= std::max<Count>(1, from / accuracy) || is_over()) return found.push_back({to, last}), void();
    const Count middle = from + (to - from) / 2;
    const std::string between = way_at_(middle);
    look_between(from, first, middle, between, found);
    look_between(middle, between, to, last, found);
  }

  bool is_over() const { return std::chrono::steady_clock::now() > deadline_; }

 private:
  Deadline deadline_;
  const std::function<std::string(Count)>& way_at_;
};

}  // namespace

Flips find_flips(const std::vector<Count>& values, bool bisects, Deadline deadline,
                 const std::function<std::string(Count)>& way_at) {
  const Search search(deadline, way_at);
  std::vector<Flip> known;  // the way at each value
  Flips flips;
  for (const Count value : values) {
    if (search.is_over()) {
      flips.note = "looking further would take long";
      break;
    }
    known.push_back({value, way_at(value)});
    flips.upto = value;
  }
  for (std::size_t i = 0; i < known.size(); ++i)
    if (i == 0)
      flips.list.push_back(known[i]);
    else if (bisects)
      search.look_between(known[i - 1].from, known[i - 1].way, known[i].from, known[i].way, flips.list);
    else if (known[i].way != known[i - 1].way)
      flips.list.push_back(known[i]);
  return flips;
}

}  // namespace quadrille::command

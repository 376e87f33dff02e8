// SPDX-License-Identifier: BSD-3-Clause
// The state of an execution: the memory and, for each rank, the results of its operations so far. They determine what its program
// does next, because programs depend on nothing else.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "support/interleavings/memory.hpp"

namespace quadrille::interleavings {

using Outcome = std::vector<std::uint64_t>;  // what ranks have noted

struct Returned {
  std::uint64_t value = 0;
  bool succeeded = true;  // false: a compare-and-exchange has failed
};

struct Look {  // a rank has read this store
  std::size_t atomic, store;
};

enum class Stage {
  runs,
  about_to_look,  // before the first load of a wait's condition
  looks,
  looked_in_vain,
  passes_time,
  is_over,
};

struct Progress {  // of a rank's program
  std::vector<Returned> returned;
  std::vector<Look> looked_at;  // since the rank last passed time, waited or wrote: the first look at each object
  Outcome noted;
  bool has_failed_falsely = false;
  Stage stage = Stage::runs;
};

struct State {
  Memory memory;
  std::vector<Progress> ranks;

  std::string key() const {
    std::string key;
    memory.append_to(key);
    for (const Progress& each : ranks) {
      append_bytes(key, each.returned.size());
      for (const Returned& returned : each.returned) append_bytes(key, returned.value), append_bytes(key, returned.succeeded);
      append_bytes(key, each.looked_at.size());
      for (const Look& look : each.looked_at) append_bytes(key, look);
    }
    return key;
  }

  std::vector<std::size_t> readable(std::size_t rank, std::size_t atomic) const {
    std::vector<std::size_t> all;
    for (std::size_t i = memory.oldest_readable(rank, atomic); i < memory.stores(atomic).size(); ++i) all.push_back(i);
    return all;
  }

  // Returns the looks of a rank since when there are newer stores.
  std::vector<Look> outdated(std::size_t rank) const {
    std::vector<Look> all;
    for (const Look& look : ranks[rank].looked_at)
      if (look.store + 1 < memory.stores(look.atomic).size()) all.push_back(look);
    return all;
  }

  bool has(Stage stage) const {
    return std::any_of(ranks.begin(), ranks.end(), [&](const Progress& each) { return each.stage == stage; });
  }
  bool are_all(Stage stage) const {
    return std::all_of(ranks.begin(), ranks.end(), [&](const Progress& each) { return each.stage == stage; });
  }

  Outcome outcome() const {
    Outcome all;
    for (const Progress& each : ranks) all.insert(all.end(), each.noted.begin(), each.noted.end());
    return all;
  }
};

}  // namespace quadrille::interleavings

// SPDX-License-Identifier: BSD-3-Clause
// Writes recordings by production's recorder, whose stores are instrumented.
#pragma once

#include <cstddef>
#include <string>

#include "seeds/history.hpp"

namespace quadrille::seeds {

// The file that remains is watched.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual void begin(std::size_t step) = 0;     // of the history; its size: all steps are done
  virtual void note_cut(std::size_t step) = 0;  // this step found no space
};

// Returns why the file could not be made, or "".
std::string write_rank(const std::string& folder, const RankHistory& history, Watch& watch);

}  // namespace quadrille::seeds

// SPDX-License-Identifier: BSD-3-Clause
// The recorded calls of the ranks of a program, made from a seed. A recording that is read must agree with them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/recording.hpp"
#include "recording/definitions.hpp"
#include "seeds/fibres.hpp"

namespace quadrille::seeds {

// A step of a rank's recorder. Units of the file or words of its header follow from it.
struct RecordedStep {
  enum class What : std::uint8_t {
    make,          // the file
    begin,         // the rate of the clock is known
    communicator,  // the next one is defined
    name,          // communicator `number` gets the name `text`
    site,          // the next one is defined
    sampled,       // site `number` has other counts, too
    call,          // of site `number`
    message,       // a call of function `number`
    unseen,        // a call is not recorded
    wall_time,     // the program has threads
    rate,          // the clock is measured again
    end,           // of the run
    close,         // the file
    fold,
  };
  What what = What::call;
  std::uint32_t number = 0;
  std::uint64_t gap = 0, away = 0, duration = 0;  // ticks
  double rate = 0;
  std::string text;
};

struct RankHistory {
  recording::RankFacts facts;
  std::uint64_t start_ticks = 1;
  std::vector<std::string_view> functions;  // of messages
  std::vector<RecordedCommunicator> communicators;
  std::vector<RecordedSite> sites;
  std::vector<RecordedStep> steps;
  std::uint64_t longest_file = 0;  // bytes that the disk has for it; 0: enough
};

// The ranks of a run. `run` distinguishes runs in one folder: later ones have greater numbers.
std::vector<RankHistory> random_histories(Chance& chance, std::uint64_t run);

}  // namespace quadrille::seeds

// SPDX-License-Identifier: BSD-3-Clause
// What the races of several launches say together; WisdomRecord has the rules.
#pragma once

#include <vector>

#include "quadrille/wisdom.hpp"

namespace quadrille {

inline constexpr std::size_t most_races = 8;  // that a record keeps

// The races by date and time, and their entries by time. Without races: the one that date, rounds and entries are.
WisdomRecord with_races_in_order(WisdomRecord record);

// What follows from races that are in order and pass check_wisdom, without those that are too old or too many.
WisdomRecord pooled(WisdomRecord record);

// With the races of both; of the same date and time that of `newer`.
WisdomRecord pooled(const WisdomRecord& known, const WisdomRecord& newer);

// One of the same date and time.
bool has_race_of(const WisdomRecord& record, const WisdomRace& race);

// With one race that says what all of them say: all that a choice needs.
Wisdom condensed(Wisdom wisdom);

}  // namespace quadrille

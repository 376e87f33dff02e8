// SPDX-License-Identifier: BSD-3-Clause
// Combines the races of several launches into one record. WisdomRecord describes the rules.
#pragma once

#include <vector>

#include "quadrille/wisdom.hpp"

namespace quadrille {

inline constexpr std::size_t most_races = 8;  // how many races a record keeps

// Sorts the races by date and time, and the entries of each race by time. If a record has no races, makes one from its
// date, repetitions and entries.
WisdomRecord with_races_in_order(WisdomRecord record);

// Drops races that are too old or too many, and computes the record's other members. The races must be sorted and pass
// check_wisdom.
WisdomRecord pooled(WisdomRecord record);

// Combines the races of both records. If two races have the same date and time, the race of `newer` is kept.
WisdomRecord pooled(const WisdomRecord& known, const WisdomRecord& newer);

// True if the record has a race with the same date and time.
bool has_race_of(const WisdomRecord& record, const WisdomRace& race);

// Replaces the races of each record by one race with the pooled result. This suffices for choosing an algorithm.
Wisdom condensed(Wisdom wisdom);

}  // namespace quadrille

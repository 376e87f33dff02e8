// SPDX-License-Identifier: BSD-3-Clause
// What operations have in common that one systematic mistake makes wrong: a generator that is wrong at one rank is often wrong in
// the same way at all ranks, or in all rounds.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quadrille/fault_cause.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

// A set of operations: those of one kind, in some consecutive rounds, between certain ranks.
struct Likeness {
  enum class Between : std::uint8_t {
    distance,      // from rank r to rank r + value, modulo the number of ranks; local operations have the distance 0
    exclusive_or,  // from rank r to rank r ^ value
    sum,           // from rank r to rank value - r, modulo the number of ranks
    sender,        // from rank `value`
    receiver,      // to rank `value`
    any,           // all; `value` is 0
  };
  NamedOperation::Kind kind = NamedOperation::Kind::copy;
  Count first_round = 0, last_round = 0;  // -1: in no known round
  Between between = Between::any;
  Count value = 0;
  auto operator<=>(const Likeness&) const = default;
};

// The sets to which an operation belongs: with the rounds of the operation, of its stage, and of the whole schedule.
std::vector<Likeness> likenesses(const NamedOperation& operation, const std::vector<Stage>& stages, Count ranks);

// The sizes of sets: how many operations a schedule has in each.
using SetSizes = std::map<Likeness, Count>;

// Counts an operation in each of its sets that are in `sizes` already.
void count_in(SetSizes& sizes, const NamedOperation& operation, const std::vector<Stage>& stages, Count ranks);

// Whether `found` of the `all` operations of a set are enough to believe in one mistake: two or more, more than half of the set if
// its operations are of one known round and at different ranks, and at least three quarters of any other set.
bool is_systematic(const Likeness& likeness, Count found, Count all);

// "the same at 15 of 16 ranks", or "the same for 60 of 64 messages in rounds 0 to 3". `things` is the plural of what is in the set;
// empty: that of its kind.
std::string text_of(const Likeness& likeness, Count found, Count all, Count ranks, std::string_view things = {});

// Tells how well operations would fit into a schedule that does not have them.
class Patterns {
 public:
  Patterns(std::vector<NamedOperation> operations, Count ranks);

  // The number of operations of the same kind and round with the same distance, or with the same exclusive or if these are more; 0
  // if the schedule has the operation.
  Count fit(const NamedOperation& operation) const;

 private:
  std::vector<NamedOperation> operations_;  // sorted
  Count ranks_;
  SetSizes sizes_;
};

// Operations that are wrong for one reason, as indices, ascending.
struct AlikeGroup {
  std::vector<std::size_t> members;
  std::string text;  // text_of the set that has most of them; empty if they are no systematic mistake
};

// Groups wrong operations: those of each pair in `together`, and those of each set of which enough are wrong. Every operation is in
// exactly one group; the groups are in the order of their first members. `measure` sets the sizes of the sets that it is given.
std::vector<AlikeGroup> alike_groups(const std::vector<NamedOperation>& wrong,
                                     const std::vector<std::pair<std::size_t, std::size_t>>& together,
                                     const std::vector<Stage>& stages, Count ranks, const std::function<void(SetSizes&)>& measure,
                                     std::string_view things = {});

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/slices/uneven_bruck.hpp"
#include "collectives/worth_trying.hpp"

#include <algorithm>

#include "collectives/slices/pairs.hpp"
#include "patterns/integers.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/program_builder.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

// Slot j of a rank holds a block whose distance from source to target is j ranks. Before the digit at `place` is
// handled, the block in slot j has travelled j mod place ranks.
class Slots {
 public:
  Slots(const Problem& problem, Count radix, Rank me)
      : traffic_(problem),
        p_(problem.ranks),
        radix_(radix),
        me_(me),
        inputs_(slot_count(), 0),
        outputs_(slot_count(), 0),
        places_(slot_count() + 1, 0) {
    for (const Share& share : traffic_.sent_by(me)) inputs_[index(share.peer)] = share.offset;
    for (const Share& share : traffic_.received_by(me)) outputs_[index(share.peer)] = share.offset;
    // Scratch memory has a place for each slot, as large as the largest block that is ever in the slot.
    for (Count place = 1; place < p_; place *= radix)
      for (Count j = place * radix; j < p_; ++j)
        if (const Count digit = j / place % radix; digit > 0) {
          Bytes& largest = places_[index(j) + 1];
          largest = std::max(largest, bytes_in(me - digit * place, place, j));
        }
    for (std::size_t j = 0; j < slot_count(); ++j) places_[j + 1] += places_[j];
  }

  Bytes scratch() const { return places_.back(); }

  // The length of the block in slot j of `holder`.
  Bytes bytes_in(Rank holder, Count place, Count j) const {
    const Rank source = wrapped(holder - j % place);
    return traffic_.bytes(source, wrapped(source + j));
  }

  Region sent(Count place, Count j) const {
    const Bytes length = bytes_in(me_, place, j);
    if (j % place == 0) return {Buffer::input, inputs_[index(wrapped(me_ + j))], length, {}};
    return {Buffer::scratch, places_[index(j)], length, {}};
  }

  Region received(Count place, Count j) const {
    const Bytes length = bytes_in(me_ - j / place % radix_ * place, place, j);
    if (j < place * radix_) return {Buffer::output, outputs_[index(wrapped(me_ - j))], length, {}};
    return {Buffer::scratch, places_[index(j)], length, {}};
  }

  Region own(Buffer buffer) const {
    const std::size_t own = index(me_);
    return {buffer, buffer == Buffer::input ? inputs_[own] : outputs_[own], traffic_.bytes(me_, me_), {}};
  }

  Rank wrapped(Rank rank) const { return modulo(rank, p_); }

 private:
  std::size_t slot_count() const { return index(p_); }

  const Traffic traffic_;
  const Count p_, radix_;
  const Rank me_;
  std::vector<Bytes> inputs_, outputs_;  // by peer: offsets in the input, and in the output
  std::vector<Bytes> places_;            // offsets of the slots in scratch memory
};

// Dissemination: after round t each rank knows the largest count of 2^(t+1) ranks.
void agree_on_longest(ProgramBuilder& program, Count p, Rank me) {
  program.stage("agree on the longest");
  for (Count distance = 1; distance < p; distance *= 2) {
    program.begin_round();
    program.control_send((me + distance) % p, size_bytes);
    program.control_receive((me + p - distance) % p, size_bytes);
  }
}

}  // namespace

Program uneven_bruck(const Problem& problem, Count radix, Overhead overhead, Rank me) {
  const Count p = problem.ranks;
  const Bytes longest = overhead == Overhead::padding ? Traffic(problem).longest() : 0;
  const Slots slots(problem, radix, me);
  const auto overhead_bytes = [&](Count blocks, Bytes data) {
    if (overhead == Overhead::sizes) return blocks * size_bytes;
    Bytes padded = 0;
    if (__builtin_mul_overflow(blocks, longest, &padded))
      throw Error(ErrorCode::too_large,
                  "blocks padded to the longest count make a message of 2^63 bytes or more; use smaller counts");
    return padded - data;
  };

  ProgramBuilder program{me};
  program.scratch(slots.scratch());
  if (overhead == Overhead::padding && p > 1) agree_on_longest(program, p, me);
  program.stage("level 0");
  program.begin_round();
  program.copy({slots.own(Buffer::input)}, {slots.own(Buffer::output)});
  Count level = 0;
  for (Count place = 1; place < p; place *= radix, ++level) {
    if (level > 0) program.stage("level " + std::to_string(level));
    for (Count digit = 1; digit < radix && digit * place < p; ++digit) {
      if (level > 0 || digit > 1) program.begin_round();
      Regions read, write;
      Count blocks = 0;
      for (Count first = digit * place; first < p; first += radix * place)
        for (Count j = first; j < std::min(p, first + place); ++j) {
          append(read, slots.sent(place, j));
          append(write, slots.received(place, j));
          ++blocks;
        }
      const Rank to = slots.wrapped(me + digit * place), from = slots.wrapped(me - digit * place);
      if (const Bytes more = overhead_bytes(blocks, bytes(read)); more > 0) program.control_send(to, more);
      if (const Bytes more = overhead_bytes(blocks, bytes(write)); more > 0) program.control_receive(from, more);
      program.send(to, std::move(read));
      program.receive(from, std::move(write));
    }
  }
  return std::move(program).finish();
}

Parameter uneven_bruck_radix() { return radix_parameter("base of the digits: 2 has the fewest rounds, p the smallest volume"); }

}  // namespace quadrille

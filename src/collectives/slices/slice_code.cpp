// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/slices/slice_code.hpp"

#include <algorithm>
#include <bit>

#include "foundation/assert.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

std::uint64_t whole(Count number) { return static_cast<std::uint64_t>(number); }

void append_slice(std::vector<std::uint8_t>& code, const CodedSlice& before, const CodedSlice& slice, Bytes grain) {
  const bool same_target = !code.empty() && slice.target_place == before.target_place;
  if (same_target) {
    append_number_code(code, 2 * whole(slice.source - before.source) + 1);
  } else {
    append_number_code(code, 2 * whole(slice.target_place - (code.empty() ? 0 : before.target_place)));
    append_number_code(code, whole(slice.source));
  }
  append_number_code(code, whole(slice.first / grain));
  const Bytes length = slice.last - slice.first, rest = length % grain;
  append_number_code(code, 2 * whole(length / grain) + (rest > 0 ? 1 : 0));
  if (rest > 0) append_number_code(code, whole(rest));
}

}  // namespace

Bytes number_code_bytes(std::uint64_t number) { return (static_cast<Bytes>(std::bit_width(number | 1)) + 6) / 7; }

void append_number_code(std::vector<std::uint8_t>& code, std::uint64_t number) {
  for (; number >= 128; number >>= 7) code.push_back(static_cast<std::uint8_t>(number | 128));
  code.push_back(static_cast<std::uint8_t>(number));
}

void SliceCoder::add(const CodedSlice& slice) {
  QUADRILLE_ASSERT(slice.first % grain_ == 0 && slice.first < slice.last);
  if (any_ && slice.target_place == last_.target_place && slice.source == last_.source && slice.first == last_.last) {
    last_.last = slice.last;
    return;
  }
  if (any_) {
    append_slice(code_, before_, last_, grain_);
    before_ = last_;
  }
  last_ = slice;
  any_ = true;
}

std::vector<std::uint8_t> SliceCoder::code() const {
  std::vector<std::uint8_t> whole_code = code_;
  if (any_)
    append_slice(whole_code, before_, last_, grain_);
  else
    whole_code.push_back(0);
  return whole_code;
}

Bytes SliceCoder::size() const { return static_cast<Bytes>(code().size()); }

std::vector<CodedSlice> decode_slices(const std::vector<std::uint8_t>& code, Bytes grain) {
  if (code.size() == 1 && code[0] == 0) return {};
  std::size_t at = 0;
  const auto fail = [] { throw Error(ErrorCode::malformed, "a header of slices is incomplete or malformed"); };
  const auto next = [&]() -> std::uint64_t {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
      if (at == code.size()) fail();
      const std::uint64_t byte = code[at++];
      number |= (byte & 127) << shift;
      if (byte < 128) return number;
    }
    fail();
    return 0;
  };
  // A sum or product of 2^63 or more cannot be an offset or a length.
  const auto plus = [&](Count a, std::uint64_t b) {
    Count sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) fail();
    return sum;
  };
  const auto grains = [&](std::uint64_t number) {
    Bytes product = 0;
    if (__builtin_mul_overflow(number, grain, &product)) fail();
    return product;
  };
  std::vector<CodedSlice> slices;
  while (at < code.size()) {
    const CodedSlice before = slices.empty() ? CodedSlice{} : slices.back();
    CodedSlice slice;
    const std::uint64_t step = next();
    if (slices.empty() && step % 2 == 1) fail();
    slice.target_place = step % 2 == 1 ? before.target_place : plus(before.target_place, step / 2);
    slice.source = step % 2 == 1 ? plus(before.source, step / 2) : plus(0, next());
    slice.first = grains(next());
    const std::uint64_t length = next();
    slice.last = plus(slice.first, whole(grains(length / 2)));
    if (length % 2 == 1) slice.last = plus(slice.last, next());
    slices.push_back(slice);
  }
  return slices;
}

Bytes counts_code_bytes(const std::vector<Share>& row) {
  Bytes bytes = number_code_bytes(row.size());
  Rank before = 0;
  for (const Share& share : row) {
    bytes += number_code_bytes(static_cast<std::uint64_t>(share.peer - before)) +
             number_code_bytes(static_cast<std::uint64_t>(share.bytes));
    before = share.peer;
  }
  return bytes;
}

CountsAgreement::CountsAgreement(const Problem& problem) : ranks_(problem.ranks), ends_{0} {
  const Traffic traffic(problem);
  for (Rank from = 0; from < ranks_; ++from) ends_.push_back(ends_.back() + counts_code_bytes(traffic.sent_by(from)));
}

Bytes CountsAgreement::bytes(Rank last, Count rows) const {
  const auto before = [&](Rank rank) { return ends_[index(rank)]; };
  const Rank first = last + 1 - rows;
  if (first >= 0) return before(last + 1) - before(first);
  return before(last + 1) + before(ranks_) - before(first + ranks_);
}

void CountsAgreement::add_to(ProgramBuilder& program, Rank me) const {
  if (ranks_ == 1) return;
  program.stage("agree on counts");
  for (Count known = 1; known < ranks_; known *= 2) {
    program.begin_round();
    const Count rows = std::min(known, ranks_ - known);
    const Rank from = (me + ranks_ - known) % ranks_;
    program.control_send((me + known) % ranks_, bytes(me, rows));
    program.control_receive(from, bytes(from, rows));
  }
}

Parameter counts_of_all_parameter() {
  Parameter counts = counts_parameter();
  counts.choices = {"gathered", "known"};
  counts.worth_trying = [](const Problem&, const Parameters&) -> std::vector<ParameterValue> { return {"known"}; };
  return counts;
}

bool has_headers(const Parameters& parameters) { return word(parameters, "counts") == "headers"; }

Parameter counts_parameter() {
  return {.name = "counts",
          .summary =
              "how ranks know what others send: gathered in each run, in a header of each message, or known from an earlier run "
              "with the same counts",
          .standard = "gathered",
          .choices = {"gathered", "headers", "known"},
          // A plan keeps its counts. So if all ranks know all counts, no agreement is needed in each execution. If
          // ranks know only their own counts, headers carry the others.
          .worth_trying = [](const Problem&, const Parameters&) -> std::vector<ParameterValue> {
            return {"known", "headers"};
          }};
}

}  // namespace quadrille

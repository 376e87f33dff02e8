// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/program_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

Regions without_empty(Regions regions) {
  std::erase_if(regions, [](const Region& region) { return bytes(region) == 0; });
  return regions;
}

void check_peer(Rank peer, Rank self) {
  if (peer == self)
    throw Error(ErrorCode::misuse, fmt::format("rank {} must not send to itself or receive from itself; use copy()", self));
}

}  // namespace

void check_operations(Count times, Count operations) {
  constexpr Count largest = std::numeric_limits<Count>::max();
  const Count all = times_at_most(times, operations, largest);
  if (all > most_operations_of_a_program)
    throw Error(
        ErrorCode::too_large,
        fmt::format(
            "the program of a rank has {} operations; the limit is {}; use fewer ranks, or fewer segments if the algorithm has any",
            all == largest ? "2^63 or more" : std::to_string(all), most_operations_of_a_program));
}

void ProgramBuilder::stage(std::string name) { program_.stages.push_back({std::move(name), next_round_, 0}); }

void ProgramBuilder::begin_round() { skip_rounds(1); }

void ProgramBuilder::skip_rounds(Count count) {
  if (program_.stages.empty()) stage("exchange");
  next_round_ += count;
  program_.stages.back().round_count += count;
}

Round& ProgramBuilder::round() {
  check_operations(++operations_);
  if (next_round_ == 0) begin_round();
  const Count current = next_round_ - 1;
  if (program_.rounds.empty() || program_.rounds.back().number != current) program_.rounds.push_back({current, {}, {}, {}, {}, {}});
  return program_.rounds.back();
}

void ProgramBuilder::copy(Regions source, Regions target) {
  source = without_empty(std::move(source));
  if (source.empty()) return;
  round().locals.push_back({LocalKind::copy, {}, std::move(source), without_empty(std::move(target))});
}

void ProgramBuilder::reduce(Regions source, Regions target, OperandOrder order) {
  source = without_empty(std::move(source));
  if (source.empty()) return;
  round().locals.push_back({LocalKind::reduce, order, std::move(source), without_empty(std::move(target))});
}

void ProgramBuilder::send(Rank to, Regions read, std::optional<Port> port) {
  check_peer(to, program_.rank);
  read = without_empty(std::move(read));
  if (!read.empty()) round().sends.push_back({to, std::move(read), port});
}

void ProgramBuilder::receive(Rank from, Regions write, std::optional<Port> port) {
  check_peer(from, program_.rank);
  write = without_empty(std::move(write));
  if (!write.empty()) round().receives.push_back({from, std::move(write), port});
}

void ProgramBuilder::control_send(Rank to, Bytes bytes) { round().control_sends.push_back({to, bytes}); }
void ProgramBuilder::control_receive(Rank from, Bytes bytes) { round().control_receives.push_back({from, bytes}); }

Program ProgramBuilder::finish() && { return std::move(program_); }

Region block(Buffer buffer, Count index, Bytes block_bytes) { return blocks(buffer, index, 1, block_bytes); }

Region blocks(Buffer buffer, Count first, Count count, Bytes block_bytes) {
  return {buffer, first * block_bytes, count * block_bytes, {}};
}

Regions blocks_upward(Buffer buffer, Count first, Count count, Count p, Bytes block_bytes) {
  const Count before_wrap = std::min(count, p - first);
  return {blocks(buffer, first, before_wrap, block_bytes), blocks(buffer, 0, count - before_wrap, block_bytes)};
}

Regions blocks_downward(Buffer buffer, Count first, Count count, Count p, Bytes block_bytes) {
  const Count before_wrap = std::min(count, first + 1);
  const auto run = [&](Count start, Count length) {
    return Region{
        buffer, start * block_bytes, length == 0 ? 0 : block_bytes, {{{std::max<Count>(length, 1), -block_bytes}, {}, {}}}};
  };
  return {run(first, before_wrap), run(p - 1, count - before_wrap)};
}

}  // namespace quadrille

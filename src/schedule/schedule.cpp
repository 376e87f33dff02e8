// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"
#include "quadrille/program_builder.hpp"
#include "schedule/settings.hpp"

namespace quadrille {
namespace {

Bytes checked(std::optional<Bytes> bytes) {
  if (bytes) return *bytes;
  throw Error(ErrorCode::too_large, "a region reaches beyond 2^63 bytes");
}

Regions without_empty(Regions regions) {
  std::erase_if(regions, [](const Region& region) { return bytes(region) == 0; });
  return regions;
}

void check_peer(Rank peer, Rank self) {
  if (peer == self)
    throw Error(ErrorCode::misuse, fmt::format("rank {} must not send to itself or receive from itself; use copy()", self));
}

}  // namespace

std::string_view name(Buffer buffer) {
  static constexpr std::array<std::string_view, 4> names{"input", "output", "scratch", "staging"};
  return names[static_cast<std::size_t>(buffer)];
}

Bytes bytes(const Region& region) {
  if (region.length < 0) throw Error(ErrorCode::misuse, "a region has a negative length");
  Bytes total = region.length;
  for (const Level& level : region.levels) {
    if (level.count < 0) throw Error(ErrorCode::misuse, "a region is repeated a negative number of times");
    total = checked(checked_product(total, level.count));
  }
  return total;
}

Bytes bytes(const Regions& regions) {
  Bytes total = 0;
  for (const Region& region : regions) total = checked(checked_sum(total, bytes(region)));
  return total;
}

std::string to_string(const Region& region) {
  std::string text = fmt::format("{}[{}:{}", name(region.buffer), region.offset, region.length);
  // Trailing unused levels are left out. An unused level between two used ones is kept, so that each level keeps its
  // position.
  std::size_t used = region.levels.size();
  while (used > 0 && region.levels[used - 1] == Level{}) --used;
  for (std::size_t i = 0; i < used; ++i) text += fmt::format(" *{}/{}", region.levels[i].count, region.levels[i].stride);
  return text + "]";
}

std::pair<Bytes, Bytes> hull(const Region& region) {
  Bytes first = region.offset;
  Bytes last = checked(checked_sum(region.offset, region.length));
  for (const Level& level : region.levels) {
    const Bytes reach = checked(checked_product(std::max<Count>(level.count, 1) - 1, level.stride));
    Bytes& end = reach < 0 ? first : last;
    end = checked(checked_sum(end, reach));
  }
  return {first, last};
}

std::string to_string(const ParameterValue& value) {
  if (const Count* number = std::get_if<Count>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

std::string specification(const Schedule& schedule) { return specification(schedule.algorithm, schedule.parameters); }

std::string specification(std::string_view algorithm, const Parameters& parameters) {
  std::string text(algorithm);
  char separator = ':';
  for (const auto& [key, value] : parameters) {
    text += separator + key + '=' + value_in_specification(to_string(value));
    separator = ',';
  }
  return text;
}

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

// SPDX-License-Identifier: BSD-3-Clause
#include "execute/script/script.hpp"

#include <algorithm>
#include <limits>

#include "foundation/assert.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

// The smallest range of offsets of each buffer that holds all bytes that a script reads or writes there.
class ContractReach {
 public:
  explicit ContractReach(const Script& script) {
    for (const StridedCopy& copy : script.copies) {
      add(end_of(copy, copy.source_buffer, copy.source, &StridedCopy::Level::source_stride));
      add(end_of(copy, copy.target_buffer, copy.target, &StridedCopy::Level::target_stride));
    }
    for (const ScriptMessage& message : script.messages)
      for (const auto* regions : {&message.regions, &message.reduced_into})
        for (const Region& region : *regions) add(region);
  }

  bool is_within(Buffer buffer, Offsets room) const {
    const auto [first, last] = ranges_[buffer];
    return first >= last || (first >= room.first && last <= room.second);
  }

 private:
  // The source or the target of a copy, as a region.
  static Region end_of(const StridedCopy& copy, Buffer buffer, Bytes offset, Bytes StridedCopy::Level::*stride) {
    Region region{buffer, offset, copy.length, {}};
    for (std::size_t i = 0; i < region.levels.size(); ++i) region.levels[i] = {copy.levels[i].count, copy.levels[i].*stride};
    return region;
  }

  void add(const Region& region) {
    if (bytes(region) == 0) return;
    const auto [first, last] = hull(region);
    auto& range = ranges_[region.buffer];
    range = {std::min(range.first, first), std::max(range.second, last)};
  }

  static constexpr Offsets nothing{std::numeric_limits<Bytes>::max(), std::numeric_limits<Bytes>::min()};
  ByEnum<Buffer, Offsets, 4> ranges_{{nothing, nothing, nothing, nothing}};
};

bool is_range_of(IndexRange range, std::size_t size) { return range.first <= range.last && range.last <= size; }

void check_message(const Script& script, const ScriptMessage& message) {
  QUADRILLE_ASSERT(message.peer >= 0 && message.peer < script.ranks);
  QUADRILLE_ASSERT(message.bytes == bytes(message.regions));
  QUADRILLE_ASSERT(message.is_send || !message.overwritten);
  if (message.effect == Effect::overwrite) return;
  QUADRILLE_ASSERT(!message.is_send && script.operation);
  QUADRILLE_ASSERT(bytes(message.reduced_into) == message.bytes);
  QUADRILLE_ASSERT(is_range_of(message.reduction, script.copies.size()));
}

void check_windows(const Script& script) {
  std::uint32_t next = 0;
  Count latest = -1;  // the latest round of the windows so far
  for (const Window& window : script.windows) {
    QUADRILLE_ASSERT(window.first_round <= window.last_round && window.copies_before.last <= window.copies_after.first);
    QUADRILLE_ASSERT(window.messages.first == next && is_range_of(window.messages, script.messages.size()));
    QUADRILLE_ASSERT(is_range_of(window.copies_before, script.copies.size()) &&
                     is_range_of(window.copies_after, script.copies.size()));
    const Count before = latest;
    for (; next < window.messages.last; ++next) {
      QUADRILLE_ASSERT(script.messages[next].round > before);
      QUADRILLE_ASSERT(script.messages[next].round >= window.first_round && script.messages[next].round <= window.last_round);
      latest = std::max(latest, script.messages[next].round);
    }
  }
  QUADRILLE_ASSERT(next == script.messages.size());
}

void check_tasks(const Script& script) {
  std::vector<std::uint32_t> named(script.tasks.size()), tasks_of(script.messages.size());
  for (const Task& task : script.tasks) {
    if (task.message == Task::no_message) {
      QUADRILLE_ASSERT(is_range_of(task.copies, script.copies.size()));
    } else {
      QUADRILLE_ASSERT(task.message < tasks_of.size());
      QUADRILLE_ASSERT(task.copies.size() == 0);
      ++tasks_of[task.message];
    }
    for (const IndexRange after : {task.after_start, task.after_completion}) {
      QUADRILLE_ASSERT(is_range_of(after, script.successors.size()));
      for (std::uint32_t i = after.first; i < after.last; ++i) {
        QUADRILLE_ASSERT(script.successors[i] < named.size());
        ++named[script.successors[i]];
      }
    }
  }
  QUADRILLE_ASSERT(named == script.predecessors);
  QUADRILLE_ASSERT(std::all_of(tasks_of.begin(), tasks_of.end(), [](std::uint32_t tasks) { return tasks == 1; }));
}

}  // namespace

void check_contract(const Script& script) {
  for (const ScriptMessage& message : script.messages) check_message(script, message);
  script.policy == Policy::dataflow ? check_tasks(script) : check_windows(script);
  QUADRILLE_ASSERT(script.nodes.empty() || size(script.nodes) == script.ranks);
  const ContractReach reach(script);
  QUADRILLE_ASSERT(reach.is_within(Buffer::scratch, {0, script.scratch_bytes}));
  QUADRILLE_ASSERT(reach.is_within(Buffer::staging, {0, script.staging_bytes}));
}

void check_user_buffers(const Script& script, Offsets input, Offsets output) {
  const ContractReach reach(script);
  QUADRILLE_ASSERT(reach.is_within(Buffer::input, input));
  QUADRILLE_ASSERT(reach.is_within(Buffer::output, output));
}

}  // namespace quadrille

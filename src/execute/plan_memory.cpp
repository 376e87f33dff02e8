// SPDX-License-Identifier: BSD-3-Clause
#include "execute/plan_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "execute/execution.hpp"
#include "problem/size_text.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

Bytes bound_of_environment() {
  const char* text = std::getenv(PlanMemory::variable);
  if (!text || !*text) return PlanMemory::usual_bound;
  try {
    return parse_size(text);
  } catch (const Error& error) {
    throw Error(ErrorCode::environment, fmt::format("{}: {}", PlanMemory::variable, error.what()));
  }
}

}  // namespace

void MemoryReport::add(const MemoryReport& others) {
  newest = std::max(newest, others.newest);
  bound = std::min(bound, others.bound);
  in_flight = std::min(in_flight, others.in_flight);
  destroyed = std::min(destroyed, others.destroyed);
}

PlanMemory::Entry* PlanMemory::find(std::uint64_t plan) {
  const auto entry = std::lower_bound(entries_.begin(), entries_.end(), plan,
                                      [](const Entry& each, std::uint64_t key) { return each.plan < key; });
  return entry != entries_.end() && entry->plan == plan ? &*entry : nullptr;
}

std::uint64_t PlanMemory::last_call(const Entry& entry) const {
  return entry.execution ? entry.execution->last_call() : entry.last_call;
}

MemoryReport PlanMemory::report() {
  if (!bound_) bound_ = bound_of_environment();
  if (entries_.size() == entries_.capacity()) entries_.reserve(2 * entries_.size() + 1);  // so that `add` does not throw
  MemoryReport mine{.bound = *bound_};
  for (const Entry& entry : entries_) {
    if (!entry.execution)
      mine.destroyed = std::min(mine.destroyed, entry.plan);
    else if (!entry.execution->is_over())
      mine.in_flight = std::min(mine.in_flight, entry.execution->last_call());
  }
  // Some plans find out only while they are executed how much they need.
  if (const Entry* newest = find(newest_)) mine.newest = newest->execution ? newest->execution->memory_bytes() : newest->bytes;
  return mine;
}

void PlanMemory::settle(const MemoryReport& of_all, Bytes needed) {
  if (Entry* newest = find(newest_)) newest->bytes = of_all.newest;
  newest_ = 0;
  remove(of_all.destroyed);
  Bytes sum = needed;
  for (const Entry& entry : entries_) sum += entry.bytes;
  while (sum > of_all.bound && !entries_.empty()) {
    const auto least_recent = std::min_element(entries_.begin(), entries_.end(),
                                               [&](const Entry& a, const Entry& b) { return last_call(a) < last_call(b); });
    if (last_call(*least_recent) >= of_all.in_flight) return;
    sum -= least_recent->bytes;
    if (least_recent->execution) least_recent->execution->evict(least_recent->bytes);
    entries_.erase(least_recent);
  }
}

std::uint64_t PlanMemory::add(Execution& execution, std::optional<Bytes> bytes) {
  const std::uint64_t plan = next_call();
  entries_.push_back({plan, &execution, bytes.value_or(execution.memory_bytes()), plan});
  if (!bytes) newest_ = plan;
  return plan;
}

void PlanMemory::destroyed(std::uint64_t plan) {
  Entry* const entry = find(plan);
  if (!entry) return;
  entry->last_call = entry->execution->last_call();
  entry->execution = nullptr;
}

void PlanMemory::remove(std::uint64_t plan) {
  if (Entry* entry = find(plan)) entries_.erase(entries_.begin() + (entry - entries_.data()));
}

}  // namespace quadrille

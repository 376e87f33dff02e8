// SPDX-License-Identifier: BSD-3-Clause
#include "execute/executions/plan_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "execute/executions/execution.hpp"
#include "foundation/environment.hpp"
#include "problem/problem_text.hpp"
#include "quadrille/error.hpp"

namespace quadrille {

Bytes PlanMemory::bound_of_environment() {
  const std::string text = checked_environment_value(variable);
  if (text.empty()) return usual_bound;
  try {
    return parse_size(text);
  } catch (const Error& error) {
    throw Error(ErrorCode::environment, fmt::format("{}: {}", variable, error.what()));
  }
}

PlanAccount& PlanMemory::account_of_process() {
  static PlanAccount account{0};
  return account;
}

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

void PlanMemory::count(Entry& entry, Bytes own_bytes) {
  const Bytes more = own_bytes - entry.own_bytes;
  entry.own_bytes = own_bytes;
  own_bytes_ += more;
  if (account_) account_->fetch_add(more, std::memory_order_relaxed);
}

Bytes PlanMemory::left() const {
  const Bytes others = account_ ? account_->load(std::memory_order_relaxed) - own_bytes_ : 0;
  return std::max(*bound_ - others, *bound_ / communicators_share);
}

std::uint64_t PlanMemory::last_call(const Entry& entry) const {
  return entry.execution ? entry.execution->last_call() : entry.last_call;
}

MemoryReport PlanMemory::report() {
  if (!bound_) bound_ = bound_of_environment();
  if (entries_.size() == entries_.capacity()) entries_.reserve(2 * entries_.size() + 1);  // so that a later `add` cannot throw
  MemoryReport mine{.bound = left()};
  for (const Entry& entry : entries_) {
    if (!entry.execution)
      mine.destroyed = std::min(mine.destroyed, entry.plan);
    else
      mine.in_flight = std::min(mine.in_flight, entry.execution->first_open_call());
  }
  if (const Entry* newest = find(newest_)) mine.newest = newest->execution ? newest->own_bytes : newest->bytes;
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
    count(*least_recent, 0);
    entries_.erase(least_recent);
  }
}

std::uint64_t PlanMemory::add(Execution& execution, std::optional<Bytes> bytes) {
  const std::uint64_t plan = next_call();
  const Bytes own_bytes = execution.memory_bytes();
  entries_.push_back({plan, &execution, bytes.value_or(own_bytes), 0, plan});
  count(entries_.back(), own_bytes);
  if (!bytes) newest_ = plan;
  return plan;
}

void PlanMemory::destroyed(std::uint64_t plan) {
  Entry* const entry = find(plan);
  if (!entry) return;
  entry->last_call = entry->execution->last_call();
  entry->execution = nullptr;
  count(*entry, 0);
}

void PlanMemory::remove(std::uint64_t plan) {
  Entry* const entry = find(plan);
  if (!entry) return;
  count(*entry, 0);
  entries_.erase(entries_.begin() + (entry - entries_.data()));
}

}  // namespace quadrille

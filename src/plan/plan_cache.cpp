// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/plan_cache.hpp"

#include <algorithm>

#include "plan/same_problem.hpp"

namespace quadrille {

struct PlanCache::Entry {
  std::uint64_t hash = 0;
  Problem problem;
  std::shared_ptr<const Operator> operation;
  Plan plan;

  bool is_for(std::uint64_t asked_hash, const Problem& asked, const Operator* asked_operation) const {
    return hash == asked_hash && operation.get() == asked_operation && is_same(problem, asked);
  }
};

namespace {

// Of the fields in which calls of one communicator differ most.
std::uint64_t hash_of(const Problem& problem, const Operator* operation) {
  std::uint64_t hash = static_cast<std::uint64_t>(problem.collective);
  for (const std::uint64_t field :
       {static_cast<std::uint64_t>(problem.block_bytes), static_cast<std::uint64_t>(problem.root),
        reinterpret_cast<std::uint64_t>(problem.counts.get()), reinterpret_cast<std::uint64_t>(problem.sparse_counts.get()),
        reinterpret_cast<std::uint64_t>(operation)})
    hash = (hash ^ field) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

}  // namespace

PlanCache::PlanCache(Communicator& communicator, PlanOptions options, std::size_t most_plans)
    : communicator_(communicator), options_(std::move(options)), most_plans_(std::max<std::size_t>(1, most_plans)) {}

PlanCache::~PlanCache() = default;

Plan& PlanCache::plan_for(const Problem& problem, const std::shared_ptr<const Operator>& operation) {
  const std::uint64_t hash = hash_of(problem, operation.get());
  if (!plans_.empty() && plans_.front().is_for(hash, problem, operation.get())) return plans_.front().plan;
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto found = first; found != last; ++found)
    if (found->second->is_for(hash, problem, operation.get())) {
      plans_.splice(plans_.begin(), plans_, found->second);
      return plans_.front().plan;
    }
  PlanOptions options = options_;
  if (operation) options.operation = operation;
  Plan made = plan(communicator_, problem, options);
  if (plans_.size() == most_plans_) {
    const auto oldest = std::prev(plans_.end());
    const auto [begin, end] = by_hash_.equal_range(oldest->hash);
    by_hash_.erase(std::find_if(begin, end, [&](const auto& entry) { return entry.second == oldest; }));
    plans_.erase(oldest);
  }
  plans_.push_front({hash, problem, operation, std::move(made)});
  by_hash_.emplace(hash, plans_.begin());
  return plans_.front().plan;
}

}  // namespace quadrille

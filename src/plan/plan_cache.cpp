// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/plan_cache.hpp"

#include <algorithm>

#include "plan/same_problem.hpp"
#include "quadrille/error.hpp"
#include "quadrille/operator.hpp"

namespace quadrille {

struct PlanCache::Entry {
  std::uint64_t hash = 0;
  Problem problem;
  std::shared_ptr<const Operator> operation;
  Plan plan;

  bool is_for(std::uint64_t asked_hash, const Problem& asked, const Operator* asked_operation) const {
    return hash == asked_hash && is_same_operator(asked_operation) && is_same(problem, asked);
  }

  // It need not be the same object, which may be made for each call on some ranks only.
  bool is_same_operator(const Operator* other) const {
    if (operation.get() == other) return true;
    return operation && other && operation->name == other->name && operation->type == other->type &&
           operation->element_bytes == other->element_bytes && operation->commutative == other->commutative;
  }
};

namespace {

// Hashes the fields in which calls of one communicator differ most.
std::uint64_t hash_of(const Problem& problem) {
  std::uint64_t hash = static_cast<std::uint64_t>(problem.collective);
  for (const std::uint64_t field : {static_cast<std::uint64_t>(problem.block_bytes), static_cast<std::uint64_t>(problem.root),
                                    static_cast<std::uint64_t>(problem.element_bytes)})
    hash = (hash ^ field) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

}  // namespace

PlanCache::PlanCache(Communicator& communicator, PlanOptions options, std::size_t most_plans)
    : communicator_(communicator), options_(std::move(options)), most_plans_(std::max<std::size_t>(1, most_plans)) {}

PlanCache::~PlanCache() = default;

Plan& PlanCache::plan_for(const Problem& problem, const std::shared_ptr<const Operator>& operation) {
  if (problem.collective == Collective::alltoallv)
    throw Error(ErrorCode::misuse, "counts of alltoallv may change on some ranks only; make a plan and keep it yourself");
  const std::uint64_t hash = hash_of(problem);
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

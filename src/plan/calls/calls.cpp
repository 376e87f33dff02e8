// SPDX-License-Identifier: BSD-3-Clause
#include "plan/calls/calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "execute/agreement.hpp"
#include "execute/executions/execution.hpp"
#include "foundation/assert.hpp"
#include "foundation/environment.hpp"
#include "foundation/hash.hpp"
#include "foundation/text/wording.hpp"
#include "plan/calls/call_checks.hpp"
#include "plan/capacity.hpp"
#include "plan/gathered.hpp"
#include "plan/plan.hpp"
#include "plan/request.hpp"
#include "problem/collective_facts.hpp"
#include "problem/same_problem.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/typed_call.hpp"
#include "quadrille/typed_plan.hpp"
#include "schedule/ordering.hpp"

namespace quadrille {
namespace {

// Lists the bytes by rank. Returns their sum.
Bytes list(const std::vector<Share>& shares, std::vector<Bytes>& by_rank) {
  Bytes sum = 0;
  for (const Share& share : shares) {
    by_rank[index(share.peer)] = share.bytes;
    sum += share.bytes;
  }
  return sum;
}

std::string type_of(const CallOperator& operation) {
  return operation.type.empty() ? fmt::format("elements of {} B", operation.element_bytes) : std::string(operation.type);
}

// Describes the operator, without the function that combines.
Operator described(const CallOperator& operation) {
  return {std::string(operation.name), type_of(operation), operation.element_bytes, operation.commutative, {}, {}};
}

Problem problem_of(const CallKey& key, Count ranks) {
  if (key.problem) return *key.problem;
  return {.collective = key.collective,
          .ranks = ranks,
          .block_bytes = key.block_bytes,
          .root = key.root,
          .element_bytes = key.element_bytes,
          .commutative = !key.operation || key.operation->commutative};
}

PlanOptions plan_options(const CallKey& key, std::shared_ptr<const Operator> operation) {
  return {.algorithm = algorithm_of(*key.options),
          .effort = key.options->effort,
          .policy = key.options->policy,
          .executor = key.options->executor,
          .operation = std::move(operation),
          .in_place = key.in_place};
}

// In place, the one buffer is both input and output. `capacity`: of the plan.
Arguments arguments_of(const CallKey& key, const void* input, void* output, const Operator* operation, Bytes capacity) {
  return {.input = static_cast<const std::byte*>(key.in_place ? output : input),
          .output = static_cast<std::byte*>(output),
          .operation = operation,
          .block_bytes = capacity > 0 ? key.block_bytes : 0};
}

// The capacity of an elastic plan for the call; 0 if the call needs a plan for its size alone.
Bytes capacity_for(const CallKey& key) { return key.problem ? 0 : capacity_of(key.block_bytes, key.element_bytes); }

// Hashes the fields in which the calls of one communicator usually differ. `capacity`: of the plan; 0 if it is not elastic.
std::uint64_t hash_of(const CallKey& key, Bytes capacity) {
  std::uint64_t hash = static_cast<std::uint64_t>(key.collective) << 1 | static_cast<std::uint64_t>(key.in_place);
  const Bytes size = capacity > 0 ? -capacity : key.block_bytes;
  for (const auto field : {size, key.root, key.element_bytes}) hash = hash_with(hash, static_cast<std::uint64_t>(field));
  if (key.problem && key.problem->counts)
    for (const Bytes count : *key.problem->counts) hash = hash_with(hash, static_cast<std::uint64_t>(count));
  return hash;
}

// Returns true if a CallKey whose `problem` is null describes this problem fully.
bool is_plain(const Problem& problem) {
  return !problem.counts && !problem.sparse_counts && problem.nodes.empty() && problem.grid.empty() && !problem.reproducible;
}

// The operator of a plan. It forwards to the user's function of the current call.
class PresentFunction {
 public:
  explicit PresentFunction(const CallOperator& operation) : operator_(described(operation)) {
    operator_.combine = [this](const std::byte* source, std::byte* target, Count elements, OperandOrder order) {
      combine_(function_, source, target, elements, order);
    };
  }
  PresentFunction(const PresentFunction&) = delete;
  PresentFunction& operator=(const PresentFunction&) = delete;

  const Operator& as_operator() const { return operator_; }

  // Sets the function of a blocking call. Only one blocking call runs at a time.
  void set(const CallOperator& operation) {
    combine_ = operation.combine;
    function_ = operation.function;
  }

 private:
  Operator operator_;
  CallOperator::Combine* combine_ = nullptr;
  const void* function_ = nullptr;
};

// An alltoallv on untyped memory, as a call with counts: the blocks that this rank sends and receives, without gaps between them.
class OwnCounts {
 public:
  // `problem` must pass check(). Throws Error{misuse} if the buffers overlap; `function` is the function that the program has
  // called.
  OwnCounts(const Problem& problem, Rank me, const void* input, void* output, std::string_view function);
  OwnCounts(const OwnCounts&) = delete;
  OwnCounts& operator=(const OwnCounts&) = delete;

  const IrregularCall& call() const { return call_; }

 private:
  std::vector<Bytes> sent_, received_;
  IrregularCall call_;
};

OwnCounts::OwnCounts(const Problem& problem, Rank me, const void* input, void* output, std::string_view function)
    : sent_(index(problem.ranks)), received_(index(problem.ranks)) {
  const Traffic traffic(problem);
  const Bytes sent = list(traffic.sent_by(me), sent_), received = list(traffic.received_by(me), received_);
  if (overlap(input, {0, sent}, output, {0, received})) throw_overlap(function, false);
  call_.arguments = {.collective = problem.collective, .input = input, .output = output, .compares = false};
  call_.send = Blocks(sent_);
  call_.receive = Blocks(received_);
  call_.has_buffers = false;
}

}  // namespace

bool needs_no_plan(const CallOptions& options) {
  return options.algorithm == automatic && !options.family && options.policy == CallOptions{}.policy &&
         options.executor == CallOptions{}.executor;
}

std::variant<std::string, Candidate> algorithm_of(const CallOptions& options) {
  if (!options.family) return std::string(options.algorithm);
  if (options.algorithm != CallOptions{}.algorithm)
    throw Error(ErrorCode::misuse, fmt::format("the call names both the algorithm '{}' and the family '{}'; name one of them",
                                               options.algorithm, options.family->name()));
  return Candidate(*options.family);
}

struct Calls::Entry {
  // A copy of the key and of everything it points to.
  Collective collective;
  bool in_place;
  Bytes block_bytes;   // of the call for which the plan was made
  Bytes capacity = 0;  // of the plan, if it is elastic
  Rank root;
  Bytes element_bytes;
  const Operator* built_in;
  std::string operator_name, operator_type;
  bool commutative;
  std::string algorithm;
  std::optional<Family> family;
  Effort effort;
  Policy policy;
  Executor executor;
  std::optional<Problem> problem;

  std::optional<PresentFunction> present;  // for an operator that is not built in
  std::optional<Plan> plan;
  std::uint64_t last_call = 0;

  explicit Entry(const CallKey& key)
      : collective(key.collective),
        in_place(key.in_place),
        block_bytes(key.block_bytes),
        root(key.root),
        element_bytes(key.element_bytes),
        built_in(key.operation ? key.operation->built_in : nullptr),
        operator_name(key.operation ? key.operation->name : ""),
        operator_type(key.operation ? key.operation->type : ""),
        commutative(!key.operation || key.operation->commutative),
        algorithm(key.options->algorithm),
        effort(key.options->effort),
        policy(key.options->policy),
        executor(key.options->executor) {
    if (key.options->family) family = *key.options->family;
    if (key.problem) problem = *key.problem;
    if (key.operation && !built_in) present.emplace(*key.operation);
  }

  bool is_for(const CallKey& key) const {
    return (capacity > 0 ? capacity == capacity_for(key) : block_bytes == key.block_bytes) && is_for_any_size(key);
  }
  bool is_for_any_size(const CallKey& key) const {
    return collective == key.collective && root == key.root && in_place == key.in_place && element_bytes == key.element_bytes &&
           is_for_operator(key.operation) && is_for_options(*key.options) && problem.has_value() == (key.problem != nullptr) &&
           (!key.problem || is_same(*problem, *key.problem));
  }

 private:
  bool is_for_operator(const CallOperator* other) const {
    if (!other) return true;  // keys of one collective either both have an operator or both have none
    if (built_in || other->built_in) return built_in == other->built_in;
    return commutative == other->commutative && operator_name == other->name && operator_type == other->type;
  }
  bool is_for_options(const CallOptions& other) const {
    return policy == other.policy && executor == other.executor && effort == other.effort && algorithm == other.algorithm &&
           family.has_value() == (other.family != nullptr) && (!family || *family == *other.family);
  }
};

Calls::Calls() = default;
Calls::~Calls() = default;

Calls::Entry& Calls::make(Communicator& ranks, const CallKey& key) {
  auto entry = std::make_unique<Entry>(key);
  const auto slot = entry->present ? std::make_shared<OperatorSlot>() : nullptr;
  std::shared_ptr<const Operator> operation;
  if (key.operation)
    operation = slot ? forwarding(entry->present->as_operator(), slot) : operator_owning(*key.operation, key.element_bytes);
  PlanOptions options = plan_options(key, std::move(operation));
  // A size that is the only one of its class so far gets a plan of its own, which no other size can make slower.
  const Bytes capacity = capacity_for(key);
  const auto is_of_class = [&](const auto& each) {
    return each->is_for_any_size(key) && capacity_of(each->block_bytes, key.element_bytes) == capacity;
  };
  if (capacity > 0 && std::ranges::any_of(plans_.values(), is_of_class)) options.capacity = capacity;
  entry->plan = plan(ranks, problem_of(key, ranks.size()), options);
  entry->capacity = capacity_of(*entry->plan);
  if (slot) execution_of(*entry->plan).forward_by(slot);
  if (size() == most_plans)
    plans_.remove(**std::ranges::min_element(plans_.values(), {}, [](const auto& each) { return each->last_call; }));
  const std::uint64_t hash = hash_of(key, entry->capacity);
  return plans_.add(hash, std::move(entry));
}

Calls::Entry& Calls::entry_for(Communicator& ranks, const CallKey& key) {
  if (!recent_ || !recent_->is_for(key)) {
    const auto is_for = [&](const Entry& entry) { return entry.is_for(key); };
    const Bytes capacity = capacity_for(key);
    recent_ = capacity > 0 ? plans_.find(hash_of(key, capacity), is_for) : nullptr;
    if (!recent_) recent_ = plans_.find(hash_of(key, 0), is_for);
    if (!recent_) recent_ = &make(ranks, key);
    QUADRILLE_ASSERT(recent_->is_for(key));
  }
  recent_->last_call = ++calls_;
  return *recent_;
}

void Calls::execute_with(Communicator& ranks, const CallKey& key, const void* input, void* output, bool is_typed_call) {
  Entry& entry = entry_for(ranks, key);
  if (entry.present) entry.present->set(*key.operation);
  if (overlap(*entry.plan, input, output, key.block_bytes))
    throw_overlap(is_typed_call ? name(key.collective) : "execute", is_typed_call);
  execution_of(*entry.plan)
      .execute(arguments_of(key, input, output, entry.present ? &entry.present->as_operator() : nullptr, entry.capacity));
}

// The request keeps the plan's execution and a copy of the call's function alive.
Request Calls::start_with(Communicator& ranks, const CallKey& key, const void* input, void* output, bool is_typed_call,
                          std::function<void()> last_step) {
  Entry& entry = entry_for(ranks, key);
  if (overlap(*entry.plan, input, output, key.block_bytes))
    throw_overlap(is_typed_call ? fmt::format("i{}", name(key.collective)) : "start", is_typed_call);
  const auto own = entry.present ? operator_owning(*key.operation, key.element_bytes) : nullptr;
  return quadrille::start(shared_execution_of(*entry.plan), arguments_of(key, input, output, own.get(), entry.capacity), own,
                          std::move(last_step));
}

CallKey Calls::checked_key(Communicator& ranks, const CallArguments& arguments, const CallOptions& options) {
  CallKey key{.collective = arguments.collective,
              .in_place = arguments.in_place,
              .root = arguments.root,
              .element_bytes = arguments.operation ? arguments.element_bytes : 1,
              .operation = arguments.operation,
              .options = &options};
  compare(ranks, arguments.compares, key, [&] { key.block_bytes = checked_block_bytes(arguments, ranks.rank(), ranks.size()); });
  return key;
}

CallKey Calls::checked_key(Communicator& ranks, const Problem& problem, const CallOperator* operation, const CallOptions& options) {
  CallKey key{.collective = problem.collective,
              .in_place = false,
              .block_bytes = problem.block_bytes,
              .root = problem.root,
              .element_bytes = problem.element_bytes,
              .operation = operation,
              .options = &options,
              .problem = is_plain(problem) ? nullptr : &problem};
  compare(ranks, false, key, [&] {
    if (is_reduction(problem.collective) && !operation)
      throw Error(ErrorCode::misuse, fmt::format("{} needs an operator", name(problem.collective)));
    if (problem.ranks != ranks.size())
      throw Error(ErrorCode::misuse,
                  fmt::format("the problem has {} and the group {}", counted(problem.ranks, "rank"), ranks.size()));
    if (has_pair_counts(problem.collective)) quadrille::check(problem);
    if (operation) check_element_bytes(*operation, problem.element_bytes);
  });
  return key;
}

void Calls::execute(Communicator& ranks, const CallArguments& arguments, const CallOptions& options) {
  execute_with(ranks, checked_key(ranks, arguments, options), arguments.input, arguments.output, true);
}

Request Calls::start(Communicator& ranks, const CallArguments& arguments, const CallOptions& options) {
  return start_with(ranks, checked_key(ranks, arguments, options), arguments.input, arguments.output, true);
}

void Calls::execute(Communicator& ranks, const Problem& problem, const void* input, void* output, const CallOperator* operation,
                    const CallOptions& options) {
  const CallKey key = checked_key(ranks, problem, operation, options);
  if (!has_pair_counts(problem.collective)) return execute_with(ranks, key, input, output, false);
  if (needs_no_plan(options))
    return execute_irregular(ranks, OwnCounts(problem, ranks.rank(), input, output, "execute").call(), options);
  plan(ranks, problem, plan_options(key, nullptr)).execute(input, output);
}

Request Calls::start(Communicator& ranks, const Problem& problem, const void* input, void* output, const CallOperator* operation,
                     const CallOptions& options) {
  const CallKey key = checked_key(ranks, problem, operation, options);
  if (!has_pair_counts(problem.collective)) return start_with(ranks, key, input, output, false);
  if (needs_no_plan(options))
    return start_irregular(ranks, OwnCounts(problem, ranks.rank(), input, output, "start").call(), options);
  return plan(ranks, problem, plan_options(key, nullptr)).start(input, output);
}

bool Calls::find_out_whether_to_compare(Communicator& ranks, bool asked) {
  const bool is_set = tolerated_environment_value("QUADRILLE_CHECK") == "1";
  const ByRank<char> wishes = gathered<char>(ranks, asked || is_set);
  const bool any = std::any_of(wishes.begin(), wishes.end(), [](char wish) { return wish != 0; });
  comparing_ = any && ranks.size() > 1 ? Comparing::yes : Comparing::no;
  return comparing_ == Comparing::yes;
}

std::string Calls::fields_of(std::string_view call) { return fmt::format("collective{}{}{}", '\0', call, '\0'); }

std::string Calls::fields_of(const CallKey& key) {
  std::string fields = fields_of(name(key.collective));
  const auto add = [&](const char* field, const auto& value) { fields.append(fmt::format("{}{}{}{}", field, '\0', value, '\0')); };
  add("in place", key.in_place);
  if (has_blocks(key.collective)) add("block size", fmt::format("{} B", key.block_bytes));
  if (key.problem && key.problem->counts && !has_pair_counts(key.collective)) add("counts", listed(*key.problem->counts));
  add("root", key.root);
  if (key.operation) {
    const Operator* const built_in = key.operation->built_in;
    add("operator", built_in ? built_in->name : std::string(key.operation->name));
    add("type", built_in ? built_in->type : type_of(*key.operation));
    add("commutative", key.operation->commutative);
  }
  add("algorithm", key.options->algorithm);
  if (key.options->family) add("family", key.options->family->name());
  add("effort", name(key.options->effort));
  add("policy", name(key.options->policy));
  add("executor", name(key.options->executor));
  return fields;
}

void Calls::compare_with_all(Communicator& ranks, const std::function<std::string()>& fields) {
  std::string mine;
  const auto hashes = gathered_or_thrown(ranks, [&] {
    mine = fields();
    return std::hash<std::string>{}(mine);
  });
  for (Rank rank = 0; rank < ranks.size(); ++rank)
    if (hashes[rank] != hashes[0]) throw_difference(ranks, mine, rank, "all ranks must make the same call");
}

std::shared_ptr<const Operator> operator_owning(const CallOperator& operation, Bytes element_bytes) {
  check_element_bytes(operation, element_bytes);
  if (const Operator* const row = operation.built_in) return built_in_operator(row->name, row->type);
  Operator made = described(operation);
  made.combine = [combine = operation.combine, function = operation.copy(operation.function)](
                     const std::byte* source, std::byte* target, Count elements, OperandOrder order) {
    combine(function.get(), source, target, elements, order);
  };
  return std::make_shared<const Operator>(std::move(made));
}

void check_room(std::string_view buffer, Count has, Count needs) {
  if (has < needs)
    throw Error(ErrorCode::misuse, fmt::format("the {} has {} elements, and the plan needs {} there", buffer, has, needs));
}

Count elements_reached(const Layout& layout, Bytes bytes, Bytes element_bytes) {
  if (!layout.empty()) bytes = 0;
  for (const LayoutPiece& piece : layout) {
    if (piece.length > 0 && piece.offset < 0)
      throw Error(
          ErrorCode::misuse,
          fmt::format("a piece of a layout begins {} B before the buffer of a typed plan; use an untyped Plan", -piece.offset));
    if (piece.length > 0) bytes = std::max(bytes, piece.offset + piece.length);
  }
  return ceil_divide(bytes, element_bytes);
}

void execute_call(Communicator& ranks, const CallArguments& arguments, const CallOptions& options) {
  ranks.calls().execute(ranks, arguments, options);
}

Request start_call(Communicator& ranks, const CallArguments& arguments, const CallOptions& options) {
  return ranks.calls().start(ranks, arguments, options);
}

void execute(Group ranks, const Problem& problem, const void* input, void* output, const std::shared_ptr<const Operator>& operation,
             const CallOptions& options) {
  if (!operation) return ranks->calls().execute(ranks, problem, input, output, nullptr, options);
  const CallOperator given = OperatorFor<std::byte, std::shared_ptr<const Operator>>::of(operation);
  ranks->calls().execute(ranks, problem, input, output, &given, options);
}

Request start(Group ranks, const Problem& problem, const void* input, void* output,
              const std::shared_ptr<const Operator>& operation, const CallOptions& options) {
  if (!operation) return ranks->calls().start(ranks, problem, input, output, nullptr, options);
  const CallOperator given = OperatorFor<std::byte, std::shared_ptr<const Operator>>::of(operation);
  return ranks->calls().start(ranks, problem, input, output, &given, options);
}

Communicator& Group::refuse_null() {
  throw Error(ErrorCode::misuse, "the pointer to the communicator is null; give a call the group of ranks that it is for");
}

std::shared_ptr<Calls> Communicator::shared_calls() { return std::make_shared<Calls>(); }

Calls& Communicator::make_calls() {
  calls_ = shared_calls();
  return *calls_;
}

}  // namespace quadrille

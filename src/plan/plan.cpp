// SPDX-License-Identifier: BSD-3-Clause
// Makes plans: each rank reads the request and prepares a draft, all ranks check that they ask for the same, then the transport
// makes the plan executable.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "execute/agreement.hpp"
#include "execute/executions/execution.hpp"
#include "execute/executors.hpp"
#include "execute/script/execution_record.hpp"
#include "execute/script/layout.hpp"
#include "execute/script/scaled_script.hpp"
#include "execute/transport.hpp"
#include "foundation/assert.hpp"
#include "foundation/text/wording.hpp"
#include "plan/given_schedule.hpp"
#include "plan/headers.hpp"
#include "plan/placed.hpp"
#include "plan/plan.hpp"
#include "plan/recent_scripts.hpp"
#include "plan/request.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/request.hpp"
#include "schedule/scaling.hpp"

namespace quadrille {

// What a rank prepares before it compares its request with the other ranks'. Exactly one of vendor, script and incremental is
// set, or none for a caller's schedule that is not verified yet.
struct Draft {
  Transport* transport = nullptr;  // belongs to the communicator that the plan keeps alive
  std::string algorithm;           // with all parameters
  bool is_given = false;           // true for a schedule of the caller's own, false for an algorithm of the table
  bool own_counts = false;         // true if this rank needs no counts besides its own
  Bytes capacity = 0;              // Script::capacity
  Layouts layouts;
  Transport::Vendor vendor;
  std::shared_ptr<const Script> script;
  std::unique_ptr<IncrementalProgram> incremental;  // set until there is a script, if headers tell the rank what it receives
  std::optional<ScriptKey> key;                     // set if the script may be kept for later plans
  std::optional<PlanRequest> request;               // the request that was kept with a script
  std::uint64_t verified = 0;                       // PlanRequest::verified
  std::unique_ptr<Offer> offer;                     // set if the transport makes offers

  // Collective: every rank makes its draft for the problem. If the requests of all ranks agree, they make the plan.
  using Drafted = std::function<Draft(Communicator& kept, const Problem&, const PlanOptions&)>;
  static ChosenPlan agreed(Communicator& communicator, const Problem& asked, const PlanOptions& options, const Choose& choose,
                           const Drafted& drafted);

  static bool overlap(const Plan& plan, const void* input, const void* output, Bytes block_bytes) {
    if (!plan.in_place_) return plan.overlap(input, output, block_bytes);
    plan.check_in_place(output);
    return false;
  }
  static Bytes capacity_of(const Plan& plan) { return plan.capacity_; }
};

namespace {

// Returns the transport that runs the plan. `own` is the communicator's transport.
Transport& transport_of_plan(Transport& own, Executor asked, bool vendor) {
  if (vendor) return own;
  const Result<Transport*> found = transport_for(own, asked);
  if (!found) throw Error(ErrorCode::environment, found.error());
  return **found;
}

// `homes` has the node of each rank. The problem may state other nodes.
void check_can_keep_step(const Problem& problem, const PlanOptions& options, bool vendor, const std::vector<Count>& homes,
                         Executor executor) {
  if (vendor) throw Error(ErrorCode::misuse, "vendor has no schedule with rounds; leave keep_step out");
  if (options.policy != Policy::blocking)
    throw Error(ErrorCode::misuse, "ranks that keep step must run round by round; use policy blocking");
  std::map<Count, std::size_t> first;  // first rank of each node
  for (std::size_t rank = 0; rank < problem.nodes.size(); ++rank) {
    const std::size_t mate = first.emplace(problem.nodes[rank], rank).first->second;
    if (mate == rank) continue;
    if (row_of(executor).memory == SharedBy::nobody)
      throw Error(ErrorCode::environment, "to keep step the ranks of a node must share memory; take executor hybrid or shared");
    if (row_of(executor).memory == SharedBy::ranks_of_a_node && homes[mate] != homes[rank])
      throw Error(ErrorCode::misuse,
                  fmt::format("ranks {} and {} must keep step as one node, but do not share memory", mate, rank));
  }
}

// The name of the plan in error messages.
std::string call(const Problem& problem, const std::string& algorithm, Bytes capacity) {
  const std::string_view up_to = capacity > 0 ? "up to " : "";
  return fmt::format("{}/{}{}", name(problem.collective), algorithm,
                     has_blocks(problem.collective) ? fmt::format(" of {}{} B a block", up_to, problem.block_bytes) : "");
}

// Asserts that the programs of an elastic plan scale, for the size that was asked for.
void check_scales(const Problem& asked, const Choice& choice, const Program& own, Bytes capacity) {
  const std::optional<Program> smaller = scaled(own, capacity, asked.block_bytes);
  QUADRILLE_ASSERT(smaller && *smaller == make_schedule(asked, choice).program(own.rank));
}

// The capacity of the plan: options.capacity, or 0 if the plan is not elastic. Equal on all ranks.
Bytes capacity_of_plan(const Problem& asked, const Choice& choice, const PlanOptions& options) {
  if (options.capacity < asked.block_bytes || options.capacity > options.longest_message / asked.ranks) return 0;
  Problem largest = asked;
  largest.block_bytes = options.capacity;
  return is_homogeneous(choice) && applies(largest, choice) && !options.keep_step ? options.capacity : 0;
}

Script script_of(const Program& program, const Problem& problem, const PlanOptions& options, Transport& transport, Bytes capacity) {
  return make_script(
      program, problem.ranks,
      {.policy = options.policy,
       .buffers = options.buffers,
       .strided_messages = transport.moves_strided_messages(),
       .buffered_bytes = [&](Rank peer) { return transport.buffered_message_bytes(peer); },
       .fuses = transport.fuses_reductions(),
       .longest_message = options.longest_message,
       .operation = options.operation,
       .nodes = options.keep_step && row_of(transport.executor()).memory != SharedBy::nobody ? problem.nodes : std::vector<Count>{},
       .capacity = capacity});
}

// Returns false if the algorithm's parameters do not use headers.
bool draft_incremental(Draft& draft, const Problem& problem, const Choice& choice, Rank me) {
  check_applies(problem, choice);
  draft.incremental = choice.algorithm->incremental(problem, choice.parameters, me);
  draft.own_counts = draft.incremental != nullptr;
  return draft.own_counts;
}

// Refuses too many parts: each part of a message that is split needs a request of MPI and about 50 bytes.
void check_parts(const Script& script) {
  constexpr Count most_parts = Count{1} << 22;
  Count parts = 0;
  for (const ScriptMessage& message : script.messages)
    if ((parts += ceil_divide(message.bytes, script.longest_message)) > most_parts)
      throw Error(ErrorCode::too_large,
                  fmt::format("its messages would be split into more than {} parts of {} bytes; ask for less data", most_parts,
                              script.longest_message));
}

void draft_program(Draft& draft, const Problem& problem, const PlanOptions& options, const Program& own) {
  const Program program = bound(own, problem, draft.layouts, options.in_place);
  draft.script = std::make_shared<const Script>(script_of(program, problem, options, *draft.transport, draft.capacity));
  if (row_of(draft.transport->executor()).needs_mpi) check_parts(*draft.script);
  const Offsets input = extent(draft.layouts.input, input_bytes(problem, own.rank));
  const Offsets output = extent(draft.layouts.output, output_bytes(problem, own.rank));
  if (options.in_place)  // one buffer is both input and output
    check_user_buffers(*draft.script, {}, {std::min(input.first, output.first), std::max(input.second, output.second)});
  else
    check_user_buffers(*draft.script, input, output);
}

void draft_schedule(Draft& draft, const Problem& problem, const PlanOptions& options, const Schedule& schedule, bool own_counts,
                    Rank me) {
  draft.own_counts = own_counts;
  draft.algorithm = specification(schedule);
  draft_program(draft, problem, options, schedule.program(me));
}

// Fills in the transport, the layouts and the other members that do not depend on the algorithm.
Draft draft_of_options(Communicator& communicator, const Problem& problem, const PlanOptions& options, bool vendor) {
  check_options(problem, options, vendor);
  Draft draft{.transport = &transport_of_plan(communicator.transport(), options.executor, vendor), .layouts = options.layouts};
  if (options.keep_step) check_can_keep_step(problem, options, vendor, communicator.nodes(), draft.transport->executor());
  if (options.in_place && options.layouts.input.empty() && options.layouts.output.empty())
    draft.layouts = in_place_layouts(problem, communicator.rank());
  return draft;
}

// Returns null if the transport makes no offers, or if memory is short: the ranks then prepare the script together, after other
// plans were evicted.
std::unique_ptr<Offer> offer_of(const Draft& draft) {
  try {
    return draft.transport->offer(draft.script);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// Returns the draft of a plan that this thread made recently, if it is still kept.
std::optional<Draft> known_draft(Communicator& communicator, const Problem& problem, const PlanOptions& options) {
  Transport& transport = transport_of_plan(communicator.transport(), options.executor, false);
  auto key = ScriptKey::of(problem, options, communicator.rank(), transport);
  const KnownScript* const known = key ? RecentScripts::of_this_thread().find(*key) : nullptr;
  if (!known) return std::nullopt;
  return Draft{.transport = &transport,
               .algorithm = known->algorithm,
               .own_counts = known->own_counts,
               .capacity = known->script->capacity,
               .script = known->script,
               .request = known->request};
}

Draft draft_of(Communicator& communicator, const Problem& asked, const PlanOptions& options) {
  const auto* text = std::get_if<std::string>(&options.algorithm);
  Candidate candidate = text ? parse_candidate(asked, *text) : std::get<Candidate>(options.algorithm);
  QUADRILLE_ASSERT(!std::holds_alternative<Family>(candidate));  // plan_of_family
  Problem problem = asked;
  Bytes capacity = 0;
  if (auto* choice = std::get_if<Choice>(&candidate); choice && options.capacity > 0) {
    *choice = completed(asked, std::move(*choice));  // by the size that was asked for, before the largest size replaces it
    capacity = capacity_of_plan(asked, *choice, options);
    if (capacity > 0) problem.block_bytes = capacity;
  }
  Draft draft = draft_of_options(communicator, problem, options, is_vendor(candidate));
  draft.capacity = capacity;
  draft.algorithm = specification(candidate);
  if (const auto* choice = std::get_if<Choice>(&candidate)) {
    const Rank me = communicator.rank();
    if (!choice->algorithm->incremental || !draft_incremental(draft, problem, *choice, me)) {
      const Schedule schedule = make_schedule(problem, *choice);
      if (capacity > 0) check_scales(asked, *choice, schedule.program(me), capacity);
      draft_schedule(draft, problem, options, schedule, choice->algorithm->needs_own_counts_only, me);
      draft.key = ScriptKey::of(asked, options, me, *draft.transport);
    }
    return draft;
  }
  auto vendor = draft.transport->vendor(problem, options.operation, std::get<Vendor>(candidate).algorithm);
  if (!vendor) throw Error(ErrorCode::misuse, fmt::format("vendor does not apply: {}", vendor.error()));
  draft.vendor = *std::move(vendor);
  draft.own_counts = true;
  return draft;
}

}  // namespace

std::string_view name(Effort effort) {
  static constexpr ByEnum<Effort, std::string_view, 4> names{{"estimate", "measure", "exhaustive", "wisdom_only"}};
  return names[effort];
}

Plan::Plan() = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

const std::shared_ptr<Execution>& shared_execution_of(Plan& plan) { return plan.execution_; }

// The ranks compare their requests in one all_gather (agree). It also carries what later steps
// need: memory reports and the transport's offers.
ChosenPlan Draft::agreed(Communicator& communicator, const Problem& asked, const PlanOptions& given, const Choose& choose,
                         const Drafted& drafted) {
  const Rank me = communicator.rank();
  Problem problem;
  std::shared_ptr<Communicator> kept;
  Draft draft;
  std::shared_ptr<Starts> starts;
  Plan made;
  Chosen chosen;
  const Agreement agreement = agree(communicator, [&] {
    problem = checked_for(communicator, asked);
    kept = communicator.transport().kept();
    if (choose) chosen = choose(*kept, problem);
    const PlanOptions& options = choose ? chosen.options : given;
    try {
      draft = drafted(*kept, problem, options);
    } catch (const Error& error) {
      if (!chosen.decision || !is_vendor(std::get<Candidate>(chosen.options.algorithm)) || error.code() != ErrorCode::misuse) throw;
      // This rank cannot run the vendor's collective. It says so in its request, so that all ranks choose again.
      PlanRequest refusal = request_of(problem, options, me, automatic, true);
      refusal.chooser = Chooser::plan, refusal.knowledge = chosen.knowledge, refusal.refuses_vendor = true;
      return refusal;
    }
    if (draft.capacity > 0) problem.block_bytes = draft.capacity;
    made.input_extent_ = extent(draft.layouts.input, input_bytes(problem, me));
    made.output_extent_ = extent(draft.layouts.output, output_bytes(problem, me));
    if (draft.capacity > 0)
      for (Bytes* const end :
           {&made.input_extent_.first, &made.input_extent_.second, &made.output_extent_.first, &made.output_extent_.second})
        *end = of_byte(*end, draft.capacity);
    starts = kept->transport().starts(draft.transport->executor());
    const std::string full_name = draft.algorithm + (draft.is_given ? " of the caller's own" : "");
    PlanRequest mine = draft.request ? *std::move(draft.request) : request_of(problem, options, me, full_name, draft.own_counts);
    mine.verified = draft.verified;
    mine.chooser = choose ? Chooser::plan : Chooser::caller;
    mine.knowledge = chosen.knowledge;
    if (draft.key && is_small(*draft.script))
      RecentScripts::of_this_thread().add(*std::move(draft.key), {draft.algorithm, draft.own_counts, draft.script, mine});
    ProgressThread::is_asked();  // called here so that all ranks throw if the variable has an unknown value
    mine.memory = starts->in_flight()->plan_memory().report();
    if (draft.script) draft.offer = offer_of(draft);
    if (draft.offer) mine.offer = draft.offer->words();
    return mine;
  });
  if (!agreement.is_settled || agreement.vendor_is_refused || (draft.is_given && !agreement.is_verified))
    return {std::nullopt, agreement.vendor_is_refused};
  const PlanOptions& options = choose ? chosen.options : given;
  // Offers are completed only if every rank made one; otherwise the ranks prepare the script collectively.
  const bool all_offer = std::none_of(agreement.offers.begin(), agreement.offers.end(),
                                      [](const Offer::Words& words) { return words == Offer::Words{}; });
  if (!all_offer) draft.offer.reset();
  QUADRILLE_ASSERT(size(agreement.offers) == communicator.size());
  QUADRILLE_ASSERT(kept->rank() == me && kept->size() == communicator.size());
  starts->in_flight()->plan_memory().settle(agreement.memory);
  made.algorithm_ = draft.algorithm;
  made.executor_ = draft.transport->executor();
  made.in_place_ = options.in_place;
  made.capacity_ = draft.capacity;
  made.decision_ = std::move(chosen.decision);
  if (draft.incremental) {
    const Program own = program_by_headers(communicator, *draft.incremental);
    QUADRILLE_ASSERT(own.rank == me);
    made_or_thrown(communicator, [&] {
      draft_program(draft, problem, options, own);
      return true;
    });
  }
  QUADRILLE_ASSERT((draft.vendor ? 1 : 0) + (draft.script ? 1 : 0) == 1);
  if (draft.script) {
    QUADRILLE_ASSERT(draft.script->rank == me && draft.script->ranks == communicator.size());  // also of a kept script
    QUADRILLE_ASSERT(draft.script->policy == options.policy);
    made.scratch_bytes_ = draft.script->scratch_bytes;
    made.staging_bytes_ = draft.script->staging_bytes;
  }
  made.execution_ = std::make_shared<Execution>(std::move(starts), call(problem, made.algorithm_, draft.capacity));
  if (draft.vendor)
    made.execution_->hold(draft.vendor());
  else
    made.execution_->make_ready(
        std::move(kept), [transport = draft.transport, script = std::move(draft.script)] { return transport->prepare(script); },
        draft.offer ? draft.offer->complete(agreement.offers) : nullptr);
  return {std::move(made)};
}

Problem checked_for(Communicator& communicator, const Problem& asked) {
  Problem problem = placed(communicator, asked);
  check(problem);
  if (problem.ranks != communicator.size())
    throw Error(ErrorCode::misuse,
                fmt::format("the problem has {} and the group {}", counted(problem.ranks, "rank"), communicator.size()));
  return problem;
}

ChosenPlan plan_chosen(Communicator& communicator, const Problem& asked, const PlanOptions& given, const Choose& choose) {
  return Draft::agreed(communicator, asked, given, choose,
                       [](Communicator& kept, const Problem& problem, const PlanOptions& options) {
                         auto known = known_draft(kept, problem, options);
                         return known ? *std::move(known) : draft_of(kept, problem, options);
                       });
}

namespace {

// Collective. The ranks check that they ask for the same family and problem. After that, one rank may make the schedule for all.
Plan plan_of_family(Communicator& communicator, const Problem& asked, const PlanOptions& given, const Family& family) {
  Draft::agreed(communicator, asked, given, nullptr, [&](Communicator& kept, const Problem& problem, const PlanOptions& options) {
    Draft draft = draft_of_options(kept, problem, options, false);
    draft.is_given = true;
    draft.algorithm = family.name();
    return draft;
  });
  const Result<Schedule> schedule = schedule_of(communicator, family, checked_for(communicator, asked));
  if (!schedule) throw Error(ErrorCode::misuse, fmt::format("{} does not apply: {}", family.name(), schedule.error()));
  return plan(communicator, *schedule, given);
}

}  // namespace

Plan plan(Group communicator, const Problem& problem, const PlanOptions& options) {
  if (const auto* candidate = std::get_if<Candidate>(&options.algorithm))
    if (const auto* family = std::get_if<Family>(candidate)) return plan_of_family(communicator, problem, options, *family);
  const auto* text = std::get_if<std::string>(&options.algorithm);
  if (text && *text == automatic) {
    PlanChooser* const chooser = communicator->transport().chooser;
    if (!chooser) throw Error(ErrorCode::misuse, "this group cannot choose an algorithm; name one in the options");
    return chooser(communicator, problem, options);
  }
  return *plan_chosen(communicator, problem, options, nullptr).plan;
}

namespace {

// `part` identifies the program in the list of kept scripts.
void draft_given(Draft& draft, const Problem& problem, const PlanOptions& options, const Program& own, std::uint64_t part) {
  PlanOptions named = options;
  named.algorithm = fmt::format("schedule {:x}", part);
  draft.key = ScriptKey::of(problem, named, own.rank, *draft.transport);
  const KnownScript* const known = draft.key ? RecentScripts::of_this_thread().find(*draft.key) : nullptr;
  if (!known) return draft_program(draft, problem, options, own);
  draft.script = known->script;
  draft.request = known->request;
  draft.key.reset();  // it is kept already
}

// Collective. Returns no plan unless all ranks remember that they have verified this schedule together. `is_verified` is true if
// they have done so immediately before.
ChosenPlan plan_given(Communicator& communicator, const Schedule& schedule, const PlanOptions& given, bool is_verified) {
  const auto drafted = [&](Communicator& kept, const Problem& problem, const PlanOptions& options) {
    const Rank me = kept.rank();
    Draft draft = draft_of_options(kept, problem, options, false);
    draft.is_given = true;
    draft.algorithm = specification(schedule);
    const Program own = own_program(schedule, me);
    const std::uint64_t part = part_hash(placed(kept, schedule), own);
    draft.verified = is_verified ? 1 : verified_with(part);
    if (draft.verified != 0) draft_given(draft, problem, options, own, part);
    return draft;
  };
  return Draft::agreed(communicator, schedule.problem, given, nullptr, drafted);
}

}  // namespace

Plan plan(Group communicator, const Schedule& schedule, const PlanOptions& options) {
  if (ChosenPlan known = plan_given(communicator, schedule, options, false); known.plan) return *std::move(known.plan);
  verify_together(communicator, placed(communicator, schedule));
  return *plan_given(communicator, schedule, options, true).plan;
}

Plan plan_schedule(Communicator& communicator, const Schedule& schedule, bool own_counts, const PlanOptions& given) {
  return *Draft::agreed(communicator, schedule.problem, given, nullptr,
                        [&](Communicator& kept, const Problem& problem, const PlanOptions& options) {
                          Draft draft = draft_of_options(kept, problem, options, false);
                          draft_schedule(draft, problem, options, schedule, own_counts, kept.rank());
                          return draft;
                        })
              .plan;
}

ObservedPlan observed_plan(Communicator& communicator, const Schedule& schedule, bool own_counts, const PlanOptions& given) {
  std::shared_ptr<const Script> observed;
  ChosenPlan made = Draft::agreed(communicator, schedule.problem, given, nullptr,
                                  [&](Communicator& kept, const Problem& problem, const PlanOptions& options) {
                                    Draft draft = draft_of_options(kept, problem, options, false);
                                    draft_schedule(draft, problem, options, schedule, own_counts, kept.rank());
                                    auto script = std::make_shared<Script>(*draft.script);
                                    script->record = std::make_shared<ExecutionRecord>(*script);
                                    observed = draft.script = std::move(script);
                                    return draft;
                                  });
  return {*std::move(made.plan), std::move(observed)};
}

bool overlap(const Plan& plan, const void* input, const void* output, Bytes block_bytes) {
  return Draft::overlap(plan, input, output, block_bytes);
}

Bytes capacity_of(const Plan& plan) { return Draft::capacity_of(plan); }

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/choosing/choosing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "execute/agreement.hpp"
#include "execute/executors.hpp"
#include "execute/transport.hpp"
#include "foundation/assert.hpp"
#include "foundation/lookup.hpp"
#include "plan/gathered.hpp"
#include "problem/collective_facts.hpp"
#include "problem/limits.hpp"
#include "problem/same_problem.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "tune/choosing/knowledge.hpp"
#include "tune/race/tune_cell.hpp"

namespace quadrille {
namespace {

// Adds the preset machine, whose prices serve for executors without a fit. The preset depends only on the knowledge, which is
// compared when a recent choice is looked up. So the preset need not be compared.
DecisionOptions with_preset(DecisionOptions options, const Knowledge& knowledge) {
  options.preset = knowledge.preset(options.situation->nodes);
  options.cores = knowledge.wisdom.machine.cores;
  return options;
}

// Everything that a choice depends on.
struct ChoiceKey {
  std::uint64_t knowledge = 0;
  Problem problem;
  DecisionOptions options;

  bool operator==(const ChoiceKey& other) const {
    return knowledge == other.knowledge && is_same(problem, other.problem) && options.executors == other.options.executors &&
           options.with_vendor == other.options.with_vendor && options.own_counts_only == other.options.own_counts_only &&
           options.effort == other.options.effort && options.situation == other.options.situation;
  }
};

// Keeps recent decisions, because a program that splits communicators makes the same choice for each of them. Decisions for
// counts that all ranks know are not kept: to compare the counts would take long, and the counts would stay in memory. If each
// rank knows only its own counts, the situation contains all that the ranks know together, so no counts need to be compared.
std::shared_ptr<const Decision> decided(const Knowledge& knowledge, const Problem& asked, const DecisionOptions& options) {
  ChoiceKey key{knowledge.hash, asked, options};
  if (options.own_counts_only) key.problem.counts = nullptr, key.problem.sparse_counts = nullptr;
  const bool is_kept = !key.problem.counts && !key.problem.sparse_counts;
  auto& recent = Recent<ChoiceKey, std::shared_ptr<const Decision>, 16>::of_this_thread();
  if (const auto* const known = is_kept ? recent.find(key) : nullptr) return *known;
  auto decision =
      std::make_shared<const Decision>(decide(options.own_counts_only ? with_alike_counts(asked, *options.situation) : asked,
                                              knowledge.wisdom, with_preset(options, knowledge)));
  if (is_kept) recent.add(std::move(key), decision);
  return decision;
}

Count to_power_of_two(double ratio) { return ratio <= 1 ? 1 : Count{1} << std::lround(std::log2(ratio)); }

// Returns the situation of an alltoallv in which each rank knows only its own counts. `facts`: facts about each rank's counts.
Situation situation_of_facts(const Problem& problem, const std::vector<CountFacts>& facts) {
  double total = 0, heaviest = 0, blocks = 0, longest = 0;
  for (const CountFacts& each : facts) {
    total += static_cast<double>(each.sent);
    blocks += static_cast<double>(each.blocks);
    longest = std::max(longest, static_cast<double>(each.longest));
    heaviest = std::max({heaviest, static_cast<double>(each.sent), static_cast<double>(each.received)});
  }
  const auto p = static_cast<double>(problem.ranks);
  Problem even = problem;
  even.collective = Collective::alltoall;
  even.counts = nullptr, even.sparse_counts = nullptr;
  Situation situation = situation_of(even);
  situation.collective = problem.collective;
  situation.block_bytes = static_cast<Bytes>(std::ceil(total / (p * p)));
  situation.skew = total > 0 ? to_power_of_two(heaviest * p / total) : 1;
  situation.sparsity = blocks > 0 ? to_power_of_two(p * p / blocks) : 1;
  situation.irregularity = total > 0 ? to_power_of_two(longest * blocks / total) : 1;
  situation.counts_known = false;
  return situation;
}

class Choosing {
  static constexpr std::size_t most_raced = 8;  // the number of ways that race under Effort::measure

 public:
  Choosing(Communicator& communicator, const Problem& problem, const PlanOptions& options)
      : communicator_(communicator), asked_(problem), options_(options), knowledge_(present_knowledge(communicator)) {}

  std::string told(const std::function<std::string(const Decision&)>& tell, double race_s) {
    const Problem problem = checked_for(communicator_, asked_);
    if (races()) {
      compare_knowledge();
      measure(problem, race_s);
    }
    const auto choice = [&] { return decided_mark + tell(*chosen(communicator_, problem).decision); };
    FirstKnowledge first;
    std::string text = told_or_thrown(communicator_, 0, [&] {
      if (!knowledge_) first = first_knowledge(communicator_);
      if (first.lacks_links) return std::string();
      if (!knowledge_) knowledge_ = keep_first(communicator_, first, 0);
      return choice();
    });
    if (text.empty()) {
      const double us_per_byte = measured_us_per_byte(communicator_);
      text = told_or_thrown(communicator_, 0, [&] {
        knowledge_ = keep_first(communicator_, first, us_per_byte);
        return choice();
      });
    }
    return text.substr(1);
  }

  // Normally each rank chooses by its own knowledge. The ranks compare their choices together with their requests for the plan.
  // The ranks agree first (agree_first) if a rank lacks knowledge, if the effort asks for a race, or if the collective is
  // alltoallv, whose choice needs facts about the counts of all ranks. If the choices differ, the ranks agree and try again. If a
  // rank refuses the vendor's collective, all ranks choose again without it.
  Plan plan() {
    bool agrees_first = !knowledge_ || options_.effort != Effort::estimate || has_pair_counts(asked_.collective);
    while (true) {
      if (agrees_first) agree_first();
      ChosenPlan made = plan_chosen(communicator_, asked_, options_,
                                    [&](Communicator& kept, const Problem& problem) { return chosen(kept, problem); });
      if (made.plan) return *std::move(made.plan);
      vendor_is_refused_ = vendor_is_refused_ || made.vendor_is_refused;
      agrees_first = agrees_first || !made.vendor_is_refused;
    }
  }

 private:
  static constexpr char decided_mark = '=';  // begins the text of a decision, so that this text is never empty

  // Collective: shares knowledge, unless all ranks have the same knowledge.
  void compare_knowledge() {
    const ByRank<std::uint64_t> hashes = gathered(communicator_, knowledge_ ? knowledge_->hash : no_knowledge);
    const bool is_alike = std::all_of(hashes.begin(), hashes.end(), [&](std::uint64_t hash) { return hash == hashes[0]; });
    if (!is_alike || hashes[0] == no_knowledge) knowledge_ = share_knowledge(communicator_);
  }

  bool races() const { return options_.effort == Effort::measure || options_.effort == Effort::exhaustive; }

  // Collective: compares the requests. If ranks have different knowledge, distributes knowledge. Gathers facts about the counts,
  // and races if the effort asks for it.
  void agree_first() {
    Problem problem;
    Agreement agreement;
    do {
      agreement = agree(communicator_, [&] {
        problem = checked_for(communicator_, asked_);
        check_choice_is_left(problem);
        PlanRequest request = request_of(problem, options_, communicator_.rank(), automatic, true);
        request.chooser = Chooser::undecided;
        request.knowledge = knowledge_ ? knowledge_->hash : no_knowledge;
        if (has_pair_counts(problem.collective)) request.facts = count_facts(problem, communicator_.rank());
        return request;
      });
    } while (!agreement.is_settled);
    if (!agreement.has_same_knowledge) knowledge_ = share_knowledge(communicator_);
    facts_ = std::move(agreement.facts);
    if (races()) measure(problem, CellRaceOptions().seconds);
  }

  void check_choice_is_left(const Problem& problem) const {
    check_options(problem, options_, /*vendor=*/false);
    if (options_.keep_step) throw Error(ErrorCode::misuse, "keep_step needs a named algorithm; name one, or leave keep_step out");
  }

  bool knows_all_counts(const Problem& problem) const {
    QUADRILLE_ASSERT(!has_pair_counts(problem.collective) || size(facts_) == communicator_.size());
    return !has_pair_counts(problem.collective) ||
           std::all_of(facts_.begin(), facts_.end(), [&](const CountFacts& facts) { return facts.all == facts_[0].all; });
  }

  // The ways that `problem` can choose from if the caller asked for executor `asked`. Equal on all ranks if the problem is equal on
  // all ranks.
  DecisionOptions decision_options(Communicator& group, const Problem& problem, Executor asked, bool with_vendor) const {
    DecisionOptions by{.executors = {asked}, .effort = options_.effort};
    if (asked == Executor::automatic) by.executors = executors_of(group);
    by.with_vendor =
        with_vendor && group.transport().executor() == Executor::mpi && (asked == Executor::automatic || asked == Executor::mpi);
    by.own_counts_only = !knows_all_counts(problem);
    by.situation = by.own_counts_only ? situation_of_facts(problem, facts_) : situation_of(problem);
    return by;
  }

  Chosen chosen(Communicator& kept, const Problem& problem) const {
    check_choice_is_left(problem);
    const DecisionOptions by = decision_options(kept, problem, options_.executor, !vendor_is_refused_);
    Chosen chosen{.decision = decided(*knowledge_, problem, by), .knowledge = knowledge_->hash};
    QUADRILLE_ASSERT(chosen.decision->situation == *by.situation);  // true for a recent choice, too
    chosen.options = plan_options_of(chosen.decision->chosen, options_);
    return chosen;
  }

  // Collective. Races the promising ways if wisdom has no record for this situation. All executors take part, because the record
  // will also serve later plans. There is no race if results cannot be checked (the operator is not built in), if no rank knows
  // all counts, or if the buffers might need too much memory. Without a race, the plan chooses by predicted times.
  void measure(const Problem& problem, double race_s) {
    DecisionOptions by =
        with_preset(decision_options(communicator_, problem, Executor::automatic, /*with_vendor=*/true), *knowledge_);
    if (by.own_counts_only || knowledge_->wisdom.find(*by.situation) || !has_room(problem)) return;
    by.effort = Effort::estimate;
    const std::size_t most = options_.effort == Effort::exhaustive ? std::numeric_limits<std::size_t>::max() : most_raced;
    Wisdom found{.machine = knowledge_->wisdom.machine};
    try {
      found.add(tune_cell(communicator_, problem, promising_ways(problem, knowledge_->wisdom, by, {}, most),
                          {.seconds = race_s, .operation = options_.operation}));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::misuse) throw;
      return;
    }
    knowledge_ = learn(communicator_, *knowledge_, found);
    if (communicator_.rank() == 0) save(found);
  }

  // Collective: returns true if each node has memory for four times the buffers of its ranks.
  bool has_room(const Problem& problem) {
    const std::vector<Count>& nodes = communicator_.nodes();
    const auto mates = static_cast<long double>(std::count(nodes.begin(), nodes.end(), nodes[index(communicator_.rank())]));
    const auto bytes = static_cast<long double>(input_bytes(problem, communicator_.rank())) +
                       static_cast<long double>(output_bytes(problem, communicator_.rank()));
    const ByRank<char> enough = gathered<char>(communicator_, 4 * mates * bytes < static_cast<long double>(usable_memory()));
    return std::all_of(enough.begin(), enough.end(), [](char each) { return each != 0; });
  }

  // Ignores errors: this process already has the measurements, and the file serves only later processes.
  static void save(const Wisdom& found) {
    try {
      save_wisdom(wisdom_file(found.machine), found);
    } catch (const Error&) {}
  }

  Communicator& communicator_;
  const Problem& asked_;
  const PlanOptions& options_;
  std::shared_ptr<const Knowledge> knowledge_;
  std::vector<CountFacts> facts_;
  bool vendor_is_refused_ = false;
};

}  // namespace

std::string told_decision(Communicator& communicator, const Problem& problem, const PlanOptions& options,
                          const std::function<std::string(const Decision&)>& tell, double race_s) {
  return Choosing(communicator, problem, options).told(tell, race_s);
}

Plan choose_and_plan(Communicator& communicator, const Problem& problem, const PlanOptions& options) {
  return Choosing(communicator, problem, options).plan();
}

}  // namespace quadrille

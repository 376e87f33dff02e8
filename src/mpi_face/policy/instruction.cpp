// SPDX-License-Identifier: BSD-3-Clause
// What rank 0 tells the ranks next: the rows of instruction_rules(), in their order; and the verdicts by which it chooses.
#include <algorithm>
#include <bit>

#include "foundation/arithmetic.hpp"
#include "foundation/planted.hpp"
#include "mpi_face/policy/step.hpp"
#include "quadrille/candidate.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr int most_plans = 128;         // per communicator; with more, their data would not stay in the caches
constexpr double long_call_s = 0.5e-3;  // calls that take so long are tried in place
constexpr int most_in_place = 2;        // contenders
// Making a group, choosing what to try, and making a plan have steps in which all ranks wait for each other. Each takes about as
// long as this number of short calls. In the first choice, rank 0 finds out what it needs about the machine and the links.
constexpr double calls_of_group = 50, calls_of_first_choice = 60, calls_of_choice = 10, calls_of_plan = 20;
constexpr double most_of_expected = 1.15;  // what a step may cost at most, relative to what is expected
// If nothing is left to spend, a trial that has begun still goes on if its next part costs at most this share of all that was
// spent.
constexpr double little_more = 0.1;
constexpr std::uint64_t enough_timed_calls = 3;
// An upper bound of the time of a barrier, divided by the ranks. The program's calls may take longer because ranks are late.
constexpr double barrier_of_rank_s = 125e-6;

using What = Instruction::What;
using Mode = CallKind::Mode;

Instruction message_for(What what, const CallKind& kind) { return {.what = what, .kind = kind.number}; }

Instruction leaves(const CallKind& kind, Cause cause) {
  Instruction message = message_for(What::leave, kind);
  message.cause = cause;
  return message;
}

// Returns the key that calls of about the same size share: the block size is rounded up to a power of two.
Key size_class(Key key) {
  key.block_bytes = static_cast<Bytes>(std::bit_ceil(static_cast<std::uint64_t>(key.block_bytes)));
  key.root = 0, key.counts = 0;
  return key;
}

class Finder {
 public:
  Finder(State& state, DecidingProcess& process, double now_s) : state_(state), process_(process), now_s_(now_s) {}

  Instruction message();

 private:
  std::optional<Instruction> told_wishes();
  std::optional<Instruction> concluded();
  std::optional<Instruction> demanded();
  std::optional<Instruction> tuned();
  std::optional<Instruction> timed();
  std::optional<Instruction> worthwhile();
  std::optional<Instruction> hosted();
  std::optional<Instruction> if_affordable(const Instruction& message, double cost_s);
  void put_off(CallKind& kind, Cause cause, double trial_s) const;
  std::optional<Instruction> work_on(const CallKind& kind, int plans) const;
  const CallFinding* finding_of(const CallKind& kind) const;
  std::optional<Instruction> learned(const CallKind& kind, const CallFinding& finding) const;
  double worth_s(const CallKind& kind, const Instruction& message, double learned_s) const;
  Instruction trial_of(const CallKind& kind, double call_s) const;
  // Plans may need the communicator of the meeting, which guests free after it. So guests make no plans.
  bool is_open_here(const CallKind& kind) const { return !state_.meeting.is_guest || never_synchronises(kind.key.function); }
  bool has_exchange() const { return state_.group.exists && state_.group.has_exchange; }
  double left_s() const {
    const double spent_s = process_.account.spent_s() + state_.meeting.others_spent_s;
    return (process_.allowed_s(now_s_) - spent_s) / state_.weight;
  }
  double call_s_of(const CallKind& kind) const {
    return std::max(state_.seconds_of(kind.vendor_times.ticks_of_call()), kind.slowest.call_s);
  }
  double all_s_of(const CallKind& kind) const {
    return std::max(state_.seconds_of(static_cast<double>(kind.vendor_times.ticks())), kind.slowest.all_s);
  }
  struct KindsOfClass {
    const CallKind* first;
    double all_s = 0;  // of their calls so far
    int kinds = 0;
  };

  void add_up_classes();
  const KindsOfClass* class_of(const CallKind& kind) const;
  int plans_in_use() const {
    return static_cast<int>(std::count_if(state_.kinds.begin(), state_.kinds.end(),
                                          [](const CallKind* kind) { return kind->mode == Mode::ours && !kind->plan_of; }));
  }
  double short_call_now_s() const;
  double group_s() const;
  double plans_s(int plans) const;  // with the choice of what to try
  double plan_s() const { return std::max(process_.plan_cost.of(state_.ranks), calls_of_plan * state_.meeting.short_s); }

  State& state_;
  DecidingProcess& process_;
  const double now_s_;
  std::vector<KindsOfClass> classes_;  // of the kinds whose calls are counted
};

Instruction Finder::message() {
  state_.meeting.wanted_ratio = 0;
  for (CallKind* const kind : state_.kinds) process_.saved_s.fetch_add(kind->saved_s());
  state_.meeting.short_s = short_call_now_s();
  for (const auto look : {&Finder::told_wishes, &Finder::concluded, &Finder::demanded, &Finder::tuned, &Finder::timed,
                          &Finder::worthwhile, &Finder::hosted})
    if (auto message = (this->*look)()) {
      message->allowance_s = process_.allowed_s(now_s_);
      return *message;
    }
  Instruction nothing;
  if (state_.meeting.wanted_ratio > 0) nothing.next_meeting = state_.meetings.wanted(state_.meeting.wanted_ratio);
  return nothing;
}

std::optional<Instruction> Finder::told_wishes() {
  if (state_.wishes || state_.own_wishes.empty()) return std::nullopt;
  return Instruction{.what = What::wishes, .number = static_cast<std::int32_t>(state_.own_wishes.size())};
}

// A trial that goes on waits until the account allows the cost of its next part. If that cost is small, the trial does not wait,
// because its plans are already paid for.
std::optional<Instruction> Finder::concluded() {
  while (!state_.meeting.gathered.empty()) {
    const auto [tried, sums] = std::move(state_.meeting.gathered.back());
    state_.meeting.gathered.pop_back();
    Instruction message = message_for(What::conclude, *tried);
    message.conclusion = tried->trial->concluded(sums);
    const double share = 1 / static_cast<double>(state_.ranks);
    state_.meeting.means = sums;
    for (double& mean : state_.meeting.means) mean *= share;
    if (message.conclusion.end != Alternation::End::goes_on) return message;
    const double excess_s = tried->trial->expected_excess(sums, message.conclusion.remaining) * share;
    const double spent_s = process_.account.spent_s() + state_.meeting.others_spent_s;
    if (state_.weight * excess_s <= little_more * spent_s || if_affordable(message, excess_s)) return message;
  }
  return std::nullopt;
}

// Finds what the user or a test has asked for. It is done whatever it costs.
std::optional<Instruction> Finder::demanded() {
  const bool at_once = state_.admits_at_once;
  if (!state_.group.why_not.empty() || (!at_once && !state_.wishes)) return std::nullopt;
  for (const CallKind* const kind : state_.kinds) {
    if (!is_open_here(*kind) || kind->rule == CallKind::Rule::followed || kind->mode != Mode::counting) continue;
    const bool may_have_rule = state_.wishes && kind->rule != CallKind::Rule::refused;
    const ChoiceRule* const rule = may_have_rule ? state_.wishes->rules.find(kind->called, kind->key.block_bytes) : nullptr;
    if (!rule && !(at_once && kind->calls >= 1)) continue;  // the call in which the ranks meet is not counted yet
    if (rule && names_vendor(rule->algorithm)) return message_for(What::obey, *kind);
    if (plans_in_use() >= most_plans + is_planted("one plan more")) return leaves(*kind, Cause::many_plans);
    if (!state_.group.exists) return Instruction{.what = What::group};
    return message_for(rule ? What::obey : What::admit, *kind);
  }
  return std::nullopt;
}

std::optional<Instruction> Finder::tuned() {
  if (!state_.group.why_not.empty() || state_.meeting.is_guest || !state_.wishes || state_.wishes->tune_share == 0)
    return std::nullopt;
  if (process_.tuning.spent_s() + tuning_race_s > state_.wishes->tune_share * now_s_) return std::nullopt;
  for (const CallKind* const kind : state_.kinds) {
    if (kind->is_tuned || kind->rule == CallKind::Rule::followed || kind->is_exchanged() || kind->mode == Mode::trying) continue;
    if (kind->calls < Meetings::first || kind->key.block_bytes * state_.ranks > most_memory_of_trial) continue;
    return state_.group.exists ? message_for(What::tune, *kind) : Instruction{.what = What::group};
  }
  return std::nullopt;
}

// Seconds of a short call that waits for all ranks of this communicator; 0 if unknown. Reads all kinds, so it is called once for
// each message.
double Finder::short_call_now_s() const {
  double least = state_.short_call_s.value_or(1e9);
  for (const CallKind* const kind : state_.kinds)
    if (kind->synchronises && kind->vendor_times.calls() >= enough_timed_calls)
      least = std::min(least, state_.seconds_of(kind->vendor_times.ticks_of_call()));
  return least < 1e9 ? least : 0;
}

double Finder::group_s() const {
  return state_.group.exists ? 0 : std::max(process_.group_cost.of(state_.ranks), calls_of_group * state_.meeting.short_s);
}

double Finder::plans_s(int plans) const {
  const double calls = process_.choice_cost.is_known() ? calls_of_choice : calls_of_first_choice;
  return std::max(process_.choice_cost.of(state_.ranks), calls * state_.meeting.short_s) + plans * plan_s();
}

// The costs of groups and plans are estimated from the program's shortest calls. If these are long, perhaps because ranks are
// late, a short call is timed first, because groups and plans are made by short calls.
std::optional<Instruction> Finder::timed() {
  if (state_.group.exists || !state_.group.why_not.empty() || state_.short_call_s || state_.admits_at_once ||
      state_.meeting.short_s < long_call_s)
    return std::nullopt;
  const double cost_s =
      barriers_of_timing * std::min(state_.meeting.short_s, barrier_of_rank_s * static_cast<double>(state_.ranks));
  return if_affordable({.what = What::time_call, .cost_s = cost_s}, cost_s);
}

// Returns the message if its cost may be spent now. Otherwise nothing is done until the account has grown enough.
std::optional<Instruction> Finder::if_affordable(const Instruction& message, double cost_s) {
  const double most_s = most_of_expected * cost_s;
  if (most_s <= left_s()) return message;
  const double total_s = process_.account.spent_s() + state_.meeting.others_spent_s + state_.weight * most_s;
  const double of_savings_s = process_.allowed_s(now_s_) - process_.allowance.after(now_s_);
  state_.meeting.wanted_ratio = process_.allowance.when(total_s - of_savings_s) / now_s_;
  return std::nullopt;
}

// Sets the reason why the kind's calls are not tried now. The report prints rank 0's reasons.
void Finder::put_off(CallKind& kind, Cause cause, double trial_s) const {
  if (kind.mode != Mode::counting || kind.trials.second != 0) return;
  kind.why = sentence(cause);
  kind.trials.put_off_s = trial_s;
  kind.is_described = false;
}

void Finder::add_up_classes() {
  classes_.clear();
  for (const CallKind* const kind : state_.kinds) {
    if (kind->mode != Mode::counting || kind->vendor_times.calls() == 0 || capacity_of(kind->key) == 0) continue;
    auto* known = const_cast<KindsOfClass*>(class_of(*kind));
    if (!known) known = &classes_.emplace_back(KindsOfClass{kind});
    known->all_s += all_s_of(*kind);
    ++known->kinds;
  }
}

const Finder::KindsOfClass* Finder::class_of(const CallKind& kind) const {
  const auto known = std::find_if(classes_.begin(), classes_.end(),
                                  [&](const KindsOfClass& each) { return are_of_one_class(each.first->key, kind.key); });
  return known == classes_.end() ? nullptr : &*known;
}

// Finds the message with the greatest ratio of the kind's time to the cost. In mode counting, a message is worth its cost only if
// the kind's calls have already taken at least that time.
std::optional<Instruction> Finder::worthwhile() {
  if (!state_.group.why_not.empty() || state_.admits_at_once) return std::nullopt;
  std::optional<Instruction> best;
  std::vector<std::pair<CallKind*, double>> dear;
  double most = 0, cost = 0, learned_s = 0;
  add_up_classes();
  const int plans = plans_in_use();
  for (const CallKind* const kind : state_.kinds)
    if (const CallFinding* const finding = finding_of(*kind)) learned_s += finding->expected_gain_s(kind->calls);
  for (CallKind* const kind : state_.kinds) {
    const auto message = work_on(*kind, plans);
    if (!message) continue;
    if (message->cost_s == 0) return message;
    const double worth = worth_s(*kind, *message, learned_s);
    if (kind->mode == Mode::counting && message->cost_s > worth) {
      put_off(*kind, Cause::not_worth, message->cost_s);
      continue;
    }
    dear.emplace_back(kind, message->cost_s + group_s());
    const double gain = worth / message->cost_s;
    if (best && gain <= most) continue;
    best = message, most = gain, cost = message->cost_s;
  }
  if (!best) return std::nullopt;
  if (!state_.group.exists) {
    best = Instruction{.what = What::group, .cost_s = group_s()};
    cost += group_s();
  }
  const auto message = if_affordable(*best, cost);
  for (const auto& [kind, trial_s] : dear)
    if (!message) put_off(*kind, Cause::too_dear, trial_s);
  return message;
}

// A meeting of guests is worth its cost only if the guests' calls have already taken at least that time.
std::optional<Instruction> Finder::hosted() {
  if (state_.worth_of_guests == 0) return std::nullopt;
  Instruction message{.what = What::host};
  if (state_.worth_of_guests >= asked_for) return message;
  message.cost_s = process_.split_cost.of(state_.ranks);
  return message.cost_s <= state_.seconds_of(state_.worth_of_guests) ? if_affordable(message, message.cost_s) : std::nullopt;
}

std::optional<Instruction> Finder::work_on(const CallKind& kind, int plans) const {
  if (!is_open_here(kind)) return std::nullopt;
  if (kind.mode == Mode::ours && kind.calls >= kind.trials.next) {
    if (kind.trials.times.ours_s.empty() && kind.vendor_times.calls() == 0) return std::nullopt;
    return trial_of(kind, kind.trials.times.ours_s.empty() ? call_s_of(kind) : median_of(kind.trials.times.ours_s));
  }
  if (kind.mode != Mode::counting || kind.rule == CallKind::Rule::followed || kind.calls < kind.trials.second) return std::nullopt;
  const CallFinding* const finding = finding_of(kind);
  if (kind.vendor_times.calls() < (finding ? 1 : enough_timed_calls)) return std::nullopt;
  const bool lacks_blocks = kind.is_exchanged() && !has_root(kind.key.function) && !kind.knows_blocks;
  if (lacks_blocks && !finding) return std::nullopt;
  if (plans >= most_plans) return leaves(kind, Cause::many_plans);
  const bool may_have_verdict = state_.group.exists && kind.trials.second == 0;
  if (const auto verdict = may_have_verdict ? process_.verdicts.find(kind.key, state_.group.nodes) : std::nullopt) {
    if (!verdict->is_faster) return leaves(kind, Cause::slower_for_class);
    // In a class of many kinds, a way whose plans run one kind each must not prevent a trial of elastic plans.
    const auto* const choice = verdict->way ? std::get_if<Choice>(&verdict->way->algorithm) : nullptr;
    const KindsOfClass* const mates = class_of(kind);
    if (choice && !is_homogeneous(*choice) && mates && mates->kinds > many_mates) return trial_of(kind, call_s_of(kind));
    Instruction message = message_for(What::take, kind);
    message.cost_s = plan_s();
    if (verdict->way) {
      const auto way = packed(*verdict->way);
      if (!way) return std::nullopt;
      message.way = *way;
    }
    return message;
  }
  if (finding) {
    if (finding->is_ours()) return learned(kind, *finding);
    if (state_.group.exists) return leaves(kind, Cause::lost_before);
    if (lacks_blocks || kind.vendor_times.calls() < enough_timed_calls) return std::nullopt;
  }
  return trial_of(kind, call_s_of(kind));
}

// What earlier runs found about the kind's calls. Before there is a group, the ranks do not know their nodes, so it may be about
// other nodes.
const CallFinding* Finder::finding_of(const CallKind& kind) const {
  if (!state_.wishes || kind.trials.ignores_findings || kind.mode != Mode::counting) return nullptr;
  const std::span<const Count> nodes = state_.group.exists ? std::span<const Count>(state_.group.nodes) : std::span<const Count>();
  return state_.wishes->findings.find(kind, state_.ranks, nodes);
}

// Tries what earlier runs found on the program's own calls. They lose nothing by that if it is still faster.
std::optional<Instruction> Finder::learned(const CallKind& kind, const CallFinding& finding) const {
  Instruction message = message_for(What::try_in_place, kind);
  message.number = finding.runs, message.is_learned = true;
  if (!kind.is_exchanged() || !has_exchange()) message.cost_s = plan_s();
  if (kind.is_exchanged()) return message;
  const auto way = way_of(finding);
  const auto one = way ? packed(*way) : std::nullopt;
  if (!one) return std::nullopt;
  message.way = *one;
  return message;
}

// What the message may cost: as much as the calls of the kind's class have taken so far, and more or less if trials of this run
// were won or lost. For what earlier runs found: as much as all that they found, `learned_s`, will save.
double Finder::worth_s(const CallKind& kind, const Instruction& message, double learned_s) const {
  const KindsOfClass* const mates = class_of(kind);  // an elastic plan will run their calls, too
  const double taken_s = mates ? mates->all_s : all_s_of(kind);
  return message.is_learned ? std::max(taken_s, learned_s) - group_s() : process_.odds.factor() * taken_s;
}

// `call_s`: the time of a call without late ranks. Ours may take twice as long.
Instruction Finder::trial_of(const CallKind& kind, double call_s) const {
  const bool is_again = kind.mode == Mode::ours, by_exchange = kind.is_exchanged();
  const auto made_s = [&](int contenders) {
    if (is_again || (by_exchange && has_exchange())) return 0.0;
    return by_exchange ? plan_s() : plans_s(contenders);
  };
  const auto is_too_dear = [&](double cost_s) { return group_s() + cost_s > left_s(); };
  // A trial of fewer contenders or calls costs less, and may then be allowed earlier. A trial in place by exchanges that exist
  // already makes nothing.
  if (call_s >= long_call_s || (by_exchange && has_exchange() && !is_again)) {
    Instruction message = message_for(What::try_in_place, kind);
    message.number = is_again || by_exchange ? 1 : most_in_place;
    const auto cost_s = [&] { return made_s(message.number) + message.number * Alternation::calls_of_first_part * call_s; };
    while (message.number > 1 && is_too_dear(cost_s())) --message.number;
    message.cost_s = cost_s();
    return message;
  }
  Instruction message = message_for(What::try_in_loop, kind);
  const int ways = 1 + (is_again || by_exchange ? 1 : static_cast<int>(most_plans_of_trial));
  message.number = batch_of_trial(kind.moved);
  const auto cost_s = [&] { return made_s(ways - 1) + most_trials * repetitions_of_trial * ways * 1.5 * call_s * message.number; };
  while (message.number > 4 && is_too_dear(cost_s())) message.number /= 2;
  message.cost_s = cost_s();
  return message;
}

}  // namespace

std::vector<Verdicts::Entry>::iterator Verdicts::found(const Key& key, const std::vector<Count>& nodes) {
  const Key sized = size_class(key);
  return std::find_if(entries_.begin(), entries_.end(),
                      [&](const Entry& entry) { return entry.calls == sized && entry.nodes == nodes; });
}

std::optional<Verdict> Verdicts::find(const Key& key, const std::vector<Count>& nodes) {
  const std::lock_guard lock(mutex_);
  const auto entry = found(key, nodes);
  return entry == entries_.end() ? std::nullopt : std::optional(entry->verdict);
}

void Verdicts::add(const Key& key, const std::vector<Count>& nodes, Verdict verdict) {
  const std::lock_guard lock(mutex_);
  if (const auto entry = found(key, nodes); entry != entries_.end())
    entry->verdict = std::move(verdict);
  else if (entries_.size() < most_entries)
    entries_.push_back({size_class(key), nodes, std::move(verdict)});
}

void Verdicts::remove(const Key& key, const std::vector<Count>& nodes) {
  const std::lock_guard lock(mutex_);
  if (const auto entry = found(key, nodes); entry != entries_.end()) entries_.erase(entry);
}

Instruction next_instruction(State& state, DecidingProcess& process, double now_s) {
  return Finder(state, process, now_s).message();
}

const std::vector<InstructionRule>& instruction_rules() {
  static const std::vector<InstructionRule> rules{
      {What::wishes, "wishes",
       "`QUADRILLE_CHOOSE` or `QUADRILLE_TUNE` is set, or earlier runs found something, and the ranks do not know it yet",
       "hear it", "", ""},
      {What::conclude, "conclude", "the calls of a part of a trial in place are made, and the next part may be paid",
       "add up their times, and go on without contenders that take 1.3 times as long; or take the fastest one, if it takes at most "
       "0.9 times as long as the MPI library (a plan in use: if it does not take longer); or end the trial",
       "trying", "trying, ours, counting, vendor"},
      {What::obey, "obey", "a rule of the user names what runs the calls", "make that plan", "counting", "ours, counting, vendor"},
      {What::admit, "admit", "a test asks for our algorithms (`QUADRILLE_ADMIT=1`)", "make a plan", "counting", "ours, vendor"},
      {What::tune, "tune", "`--tune` pays for a race", "race candidates", "counting, ours, vendor", "counting, vendor"},
      {What::time_call, "time_call", "all calls take half a millisecond or more, and there is no group", "time three barriers", "",
       ""},
      {What::leave, "leave",
       "calls of about this size lost a trial, in this run or in an earlier one, on this communicator or on one whose ranks lie on "
       "nodes in the same way; or there are 128 plans",
       "give the calls to the MPI library", "counting", "vendor"},
      {What::take, "take", "such calls won a trial", "make the plan that won", "counting", "ours, vendor"},
      {What::group, "group", "a message that makes or tries plans is due, and there is no group; for a trial, both must be paid",
       "make the group", "", ""},
      {What::try_in_loop, "try_in_loop",
       "a call takes less than half a millisecond, and all of them have taken as long as a trial will (after two lost trials: "
       "twice "
       "as long); in mode ours: at call 2^k, from the 512th to the 8,192nd on",
       "time up to three contenders and the MPI library on buffers of the drop-in's own, by turns, four times 2 to 32 calls; take "
       "the "
       "fastest "
       "one, if the median of its ratios is at most 0.9 (a second trial is held if it is at most 1.13). In mode ours: keep the "
       "plan, "
       "unless it lost twice",
       "counting, ours", "ours, vendor"},
      {What::try_in_place, "try_in_place",
       "the same for longer calls, and for calls that exchange blocks, once such exchanges exist; or earlier runs found what is "
       "faster, and it will save more than it costs",
       "make up to two contenders, or the plan that earlier runs found; then the program's own calls run by turns",
       "counting, ours", "trying, vendor"},
      {What::host, "host", "the guests' calls have taken as long as it will take to let them meet", "let guests meet", "", ""},
      {What::nothing, "nothing", "nothing else is worth its cost, or may be paid",
       "run the call in which they met, and meet next in call 2^k, or earlier if rank 0 says so", "", ""},
  };
  return rules;
}

}  // namespace quadrille::mpi_face

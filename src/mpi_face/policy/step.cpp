// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/policy/step.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "foundation/assert.hpp"
#include "foundation/hash.hpp"
#include "foundation/median.hpp"
#include "quadrille/candidate.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr int most_plans = 128;         // per communicator; with more, their data would not stay in the caches
constexpr double long_call_s = 0.5e-3;  // calls that take so long are tried in place
constexpr int most_in_place = 2;        // contenders
constexpr int most_trials = 2;          // of one kind in one meeting: a second one if the first says that both take about as long
constexpr std::size_t most_samples = 15;
constexpr double misses_by_little = 1.25;
constexpr double is_slower = 1.0;  // a plan is abandoned if it takes more than this multiple of the MPI library's time
// Making a group, choosing what to try, and making a plan have steps in which all ranks wait for each other. They take as long as
// about so many short calls. The first choice takes longer, about as long as making the group or half as long again, because
// rank 0 first finds out what it needs about the machine.
constexpr double calls_of_group = 35, calls_of_choice = 6, calls_of_plan = 8, groups_of_first_choice = 1.5;
constexpr double most_of_expected = 1.3;  // what groups and plans cost at most, as a multiple of what is expected
// A trial that has begun goes on although nothing is left to spend, if that costs at most this share of what was spent.
constexpr double little_more = 0.1;
constexpr std::uint64_t enough_timed_calls = 3;
// What a barrier takes at most, for each rank. Calls of the program may take longer because ranks are late.
constexpr double barrier_of_rank_s = 125e-6;

using What = Instruction::What;
using Mode = CallKind::Mode;

// Returns the key that calls of about the same size share: the block size is rounded up to a power of two.
Key size_class(Key key) {
  key.block_bytes = static_cast<Bytes>(std::bit_ceil(static_cast<std::uint64_t>(key.block_bytes)));
  key.root = 0, key.counts = 0;
  return key;
}

Instruction message_for(What what, const CallKind& kind) { return {.what = what, .kind = kind.number}; }

Instruction leaves(const CallKind& kind, Cause cause) {
  Instruction message = message_for(What::leave, kind);
  message.cause = cause;
  return message;
}

constexpr bool is_about_kind(What what) {
  return what != What::nothing && what != What::wishes && what != What::time_call && what != What::group && what != What::host;
}

// Has the message a form that this rank can carry out?
bool is_valid(const Instruction& message, const State& state) {
  if (message.what < What::nothing || message.what > What::host || message.number < 0) return false;
  if (!is_about_kind(message.what)) return true;
  const bool has_end = std::find(message.algorithm, std::end(message.algorithm), '\0') != std::end(message.algorithm);
  if (message.kind >= state.kinds.size() || !has_end) return false;
  if (message.what == What::conclude) return state.kinds[message.kind]->trial.has_value();
  return state.has_group || message.what == What::leave || message.what == What::obey;
}

// One step: what follows from an event.
class Step {
 public:
  Step(State& state, DecidingProcess& process, const Event& event) : state_(state), process_(process), event_(event) {}

  Action next() {
    const Action action = event_.what == Event::What::meeting ? begin() : after_action();
    state_.doing = action.what;
    if (action.what == Do::leave && state_.is_guest && !state_.had_group) state_.has_group = false;
    return action;
  }

 private:
  Action begin();
  Action after_action();
  Action add_up();
  Action find_slowest();
  Action begin_guests();
  Action ask_guests();
  Action send_message();
  Action hear();
  Action agreed();

  // Rank 0: what to do next.
  Instruction message();
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
  Instruction trial_of(const CallKind& kind, double call_s) const;
  // Plans may need messages over the communicator of the meeting, so guests make none.
  bool is_open_here(const CallKind& kind) const { return !state_.is_guest || never_synchronises(kind.key.function); }
  double allowance_s() const { return Account::allowance(event_.now_s); }
  double left_s() const { return (allowance_s() - process_.account.spent_s() - state_.others_spent_s) / state_.weight; }
  double seconds_of(double ticks) const { return ticks * state_.tick_s; }
  double call_s_of(const CallKind& kind) const {
    return std::max(seconds_of(kind.vendor_times.ticks_of_call()), kind.slowest_call_s);
  }
  double all_s_of(const CallKind& kind) const {
    return std::max(seconds_of(static_cast<double>(kind.vendor_times.ticks())), kind.slowest_s);
  }
  int plans_in_use() const {
    return static_cast<int>(
        std::count_if(state_.kinds.begin(), state_.kinds.end(), [](const CallKind* kind) { return kind->mode == Mode::ours; }));
  }
  double short_call_now_s() const;
  double group_s() const;
  double plans_s(int plans) const;  // with the choice of what to try
  double plan_s() const { return std::max(process_.plan_cost.of(state_.ranks), calls_of_plan * state_.short_s); }

  // All ranks: do it.
  CallKind& kind() { return *state_.kinds[state_.message.kind]; }
  Action carry_out();
  Action follow_rule();
  Action prepared();
  Action tried();
  Action tried_again();
  Action begin_in_place(int contenders);
  Action conclude();
  Action shared();
  Action finished();
  Action left(std::string cause);
  Action keep(std::size_t best);
  void settle(bool is_faster);
  void leave_all();

  Action action(Do what, std::int32_t number = 0) { return {.what = what, .kind = state_.message.kind, .number = number}; }

  State& state_;
  DecidingProcess& process_;
  const Event& event_;
};

// The first message that is carried out waits for late ranks, which the call would wait for anyway. This wait is counted apart, and
// is not spent by Quadrille.
Action Step::begin() {
  if (!event_.is_guest) state_.is_asked = false;
  state_.asks_host = false;
  state_.next_as_guest = std::bit_ceil(std::max(state_.calls_so_far() + 1, Meetings::at_the_latest));
  state_.is_guest = event_.is_guest, state_.had_group = state_.has_group, state_.knows_accounts = false;
  state_.next_kind = 0;
  state_.gathered.clear();
  if (!state_.no_group.empty()) return leave_all(), action(Do::leave);
  return add_up();
}

void Step::leave_all() {
  for (CallKind* const kind : state_.kinds)
    if (kind->mode == Mode::counting) kind->leave(state_.no_group);
}

// All trials in place that are due, one after the other.
Action Step::add_up() {
  for (; state_.next_kind < state_.kinds.size(); ++state_.next_kind)
    if (const CallKind& kind = *state_.kinds[state_.next_kind]; kind.trial && kind.trial->is_due())
      return {.what = Do::add_up, .kind = kind.number, .figures = kind.trial->times()};
  return find_slowest();
}

bool has_slowest(const CallKind& kind) { return !kind.synchronises && !kind.is_exchanged() && kind.mode == Mode::counting; }

// Rank 0 hears how long calls that do not synchronise took on the slowest rank.
Action Step::find_slowest() {
  Action find = action(Do::find_slowest);
  for (const CallKind* const kind : state_.kinds) {
    if (state_.is_guest || !has_slowest(*kind)) continue;
    find.figures.push_back(kind->vendor_times.calls() > 0 ? seconds_of(kind->vendor_times.ticks_of_call()) : 0);
    find.figures.push_back(seconds_of(static_cast<double>(kind->vendor_times.ticks())));
  }
  if (!find.figures.empty()) return find;
  return begin_guests();
}

Action Step::begin_guests() {
  if (!state_.is_world) return send_message();
  process_.waiting.clear();
  for (const Guest& guest : process_.guests)
    if (guest.state->worth_ticks() > 0) process_.waiting.push_back(guest);
  process_.has_met = true;
  return ask_guests();
}

// What the guest is worth that comes first on this rank, and whether it has met.
Action Step::ask_guests() {
  Action ask = action(Do::ask_guests);
  ask.figures = {process_.waiting.empty() ? 0 : process_.waiting.front().state->worth_ticks(), process_.has_met ? 1.0 : 0.0};
  return ask;
}

Action Step::send_message() {
  if (state_.rank == 0) state_.message = message();
  return action(Do::send_message);
}

Action Step::after_action() {
  switch (state_.doing) {
    case Do::leave: break;
    case Do::add_up:
      if (state_.rank == 0) state_.gathered.emplace_back(state_.kinds[state_.next_kind], event_.figures);
      ++state_.next_kind;
      return add_up();
    case Do::find_slowest:
      if (state_.rank == 0) {
        auto figure = event_.figures.begin();
        for (CallKind* const kind : state_.kinds)
          if (has_slowest(*kind)) kind->slowest_call_s = *figure++, kind->slowest_s = *figure++;
      }
      return begin_guests();
    case Do::ask_guests:
      state_.worth_of_guests = event_.figures[0];
      if (event_.figures[1] > 0) return send_message();
      if (!process_.waiting.empty()) process_.waiting.pop_front();  // no guest met in the last turn: the first ones are given up
      process_.has_met = true;
      return ask_guests();
    case Do::send_message: state_.message = event_.message; return hear();
    case Do::agree_account: return agreed();
    default: break;
  }
  QUADRILLE_ASSERT(state_.doing != Do::leave);
  if (event_.choice_s > 0) process_.choice_cost.measured(event_.choice_s, state_.ranks);
  if (event_.plan_s > 0) process_.plan_cost.measured(event_.plan_s, state_.ranks);
  if (state_.doing == Do::race) process_.tuning.spend(event_.now_s - state_.began_s);
  if (event_.what == Event::What::failed && state_.doing != Do::make_group) return left(std::string(sentence(Cause::no_plan)));
  switch (state_.doing) {
    case Do::hear_wishes: state_.wishes = event_.wishes; return finished();
    case Do::time_call:
      state_.short_call_s = std::min(event_.figures[0], state_.short_call_s.value_or(event_.figures[0]));
      return finished();
    case Do::make_group:
      process_.group_cost.measured(event_.now_s - state_.began_s, state_.ranks);
      if (event_.what == Event::What::failed)
        state_.no_group = event_.why, leave_all();
      else
        state_.has_group = true, state_.nodes = event_.nodes;
      return finished();
    case Do::host:  // what the guests spend, they count themselves
      process_.account.spend(state_.weight * event_.figures[0]);
      process_.split_cost.measured(event_.figures[0], state_.ranks);
      state_.knows_accounts = false;
      process_.has_met = event_.figures[1] > 0;
      if (process_.has_met) process_.waiting.pop_front();
      return ask_guests();
    case Do::make_named:
      if (event_.made.empty()) return kind().rule = CallKind::Rule::refused, finished();
      state_.made = event_.made;
      return keep(0);
    case Do::make_exchange:
      if (!event_.why.empty()) return left(event_.why);
      state_.has_exchange = true;
      return prepared();
    case Do::make_way:
    case Do::make_contenders: return prepared();
    case Do::run_trial: return kind().mode == Mode::ours ? tried_again() : tried();
    case Do::keep:
      if (state_.message.what != What::obey) settle(true);
      return finished();
    case Do::share_figures: return shared();
    case Do::race: return finished();
    default: break;
  }
  QUADRILLE_ASSERT(false);
  return finished();
}

// Together with the first message, and with the one after guests have met, the ranks find the greatest of their accounts: rank 0
// knows only its own.
Action Step::hear() {
  const Instruction& message = state_.message;
  QUADRILLE_ASSERT(is_valid(message, state_));
  if (message.what == What::nothing) {
    if (!state_.is_guest) state_.meetings.meet_at(message.next_meeting);
    return action(Do::leave);
  }
  if (state_.knows_accounts) return carry_out();
  Action agree = action(Do::agree_account);
  agree.figures = {state_.spent_s = process_.account.spent_s()};
  return agree;
}

Action Step::agreed() {
  const Instruction& message = state_.message;
  state_.knows_accounts = true;
  state_.others_spent_s = event_.figures[0] - state_.spent_s;
  if (message.cost_s > 0 && event_.figures[0] + state_.weight * message.cost_s > message.allowance_s) return action(Do::leave);
  return carry_out();
}

// After a message: charges the time that it took to the account, unless it was for a race or for guests, whose time is charged
// elsewhere. Then rank 0 sends the next message.
Action Step::finished() {
  if (state_.message.what != What::tune && state_.message.what != What::host)
    process_.account.spend(state_.weight * (event_.now_s - state_.began_s));
  return send_message();
}

Action Step::left(std::string cause) {
  kind().leave(std::move(cause));
  return finished();
}

Action Step::carry_out() {
  const Instruction& message = state_.message;
  state_.began_s = event_.now_s;
  state_.trials = 0;
  state_.vendors_s.clear(), state_.ours_s.clear(), state_.made.clear();
  switch (message.what) {
    case What::nothing: break;
    case What::wishes: return action(Do::hear_wishes, message.number);
    case What::time_call: return action(Do::time_call);
    case What::group: return action(Do::make_group);
    case What::host: return action(Do::host);
    case What::leave: return left(std::string(sentence(message.cause)));
    case What::obey: return follow_rule();
    case What::conclude: return conclude();
    case What::admit: {
      if (kind().is_exchanged()) return action(Do::make_exchange);
      Action make = action(Do::make_contenders, 1);
      make.is_anyhow = true;
      return make;
    }
    case What::take: return action(kind().is_exchanged() ? Do::make_exchange : Do::make_way);
    case What::try_in_loop: {
      CallKind& tried = kind();
      if (tried.mode == Mode::ours) {
        tried.next_trial = next_epoch(tried.calls, tried.moved);
        state_.vendors_s = tried.trial_times.vendors_s, state_.ours_s = {tried.trial_times.ours_s};
        return action(Do::run_trial, message.number);
      }
      return tried.is_exchanged() ? action(Do::make_exchange)
                                  : action(Do::make_contenders, static_cast<std::int32_t>(most_plans_of_trial));
    }
    case What::try_in_place:
      if (kind().is_exchanged()) return action(Do::make_exchange);
      return kind().mode == Mode::ours ? begin_in_place(1) : action(Do::make_contenders, message.number);
    case What::tune:
      kind().is_tuned = true;
      kind().mode = Mode::counting;
      kind().way.reset();
      kind().why = sentence(Cause::rare);
      kind().trial_times = {};
      kind().is_described = false;
      process_.verdicts.remove(kind().key, state_.nodes);
      return action(Do::race);
  }
  QUADRILLE_ASSERT(false);
  return action(Do::leave);
}

// Follows the user's rule for the kind.
Action Step::follow_rule() {
  kind().rule = CallKind::Rule::followed;
  const ChoiceRule& rule = *state_.wishes->rules.find(kind().called, kind().key.block_bytes);
  if (names_vendor(rule.algorithm)) return left(std::string(sentence(Cause::chosen)));
  return action(Do::make_named);
}

// There are plans, or there is the exchange.
Action Step::prepared() {
  state_.made = event_.made;
  const bool by_exchange = state_.doing == Do::make_exchange;
  if (!by_exchange && state_.made.empty()) return left(event_.why);
  switch (state_.message.what) {
    case What::try_in_loop: return action(Do::run_trial, state_.message.number);
    case What::try_in_place: return begin_in_place(by_exchange ? 1 : static_cast<int>(state_.made.size()));
    default: break;
  }
  if (!by_exchange) return keep(0);
  settle(true);
  return finished();
}

Action Step::keep(std::size_t best) {
  CallKind& kept = kind();
  kept.mode = Mode::ours;
  kept.trial.reset();
  kept.way = state_.made[best].way;
  kept.why = state_.made[best].why;
  kept.is_described = false;
  return action(Do::keep, static_cast<std::int32_t>(best));
}

// Ends a first trial, or the decision to do without one.
void Step::settle(bool is_faster) {
  CallKind& settled = kind();
  if (is_faster) {
    settled.mode = Mode::ours;
    settled.trial.reset();
    settled.next_trial = state_.admits_at_once || settled.rule == CallKind::Rule::followed
                             ? CallKind::never
                             : next_epoch(settled.calls, settled.moved);
    if (settled.is_exchanged()) settled.why = "it needs no plan";
  }
  if (state_.has_group) process_.verdicts.add(settled.key, state_.nodes, {is_faster, settled.way});
  settled.is_described = false;
}

// Takes the fastest contender if it is faster than the MPI library by enough (enough_gain). If it narrowly misses that, the trial
// is repeated.
Action Step::tried() {
  if (event_.vendors_s.empty()) return left(event_.why);
  state_.vendors_s.insert(state_.vendors_s.end(), event_.vendors_s.begin(), event_.vendors_s.end());
  state_.ours_s.resize(event_.ours_s.size());
  std::vector<double> ratios;
  for (std::size_t way = 0; way < event_.ours_s.size(); ++way) {
    state_.ours_s[way].insert(state_.ours_s[way].end(), event_.ours_s[way].begin(), event_.ours_s[way].end());
    ratios.push_back(TrialTimes{state_.ours_s[way], state_.vendors_s}.ratio());
  }
  const auto best = static_cast<std::size_t>(std::min_element(ratios.begin(), ratios.end()) - ratios.begin());
  const double ratio = ratios[best];
  const bool is_repeated = ratio > enough_gain && ratio <= misses_by_little * enough_gain && ++state_.trials < most_trials;
  if (is_repeated) return action(Do::run_trial, state_.message.number);
  kind().trial_times = {state_.ours_s[best], state_.vendors_s};
  if (ratio <= enough_gain && !kind().is_exchanged()) return keep(best);
  if (ratio > enough_gain) kind().leave(lost_by(ratio));
  settle(ratio <= enough_gain);
  return finished();
}

// The plan in use was compared with the MPI library's function again. A plan that loses is abandoned for good. So a trial that the
// plan loses is repeated first.
Action Step::tried_again() {
  const auto add = [](std::vector<double>& all, const std::vector<double>& more) {
    all.insert(all.end(), more.begin(), more.end());
    if (all.size() > most_samples) all.erase(all.begin(), all.end() - most_samples);
  };
  if (event_.vendors_s.empty()) return finished();
  add(state_.vendors_s, event_.vendors_s);
  add(state_.ours_s[0], event_.ours_s[0]);
  kind().trial_times = {state_.ours_s[0], state_.vendors_s};
  const double ratio = kind().trial_times.ratio();
  if (ratio > is_slower && ++state_.trials < most_trials) return action(Do::run_trial, state_.message.number);
  kind().is_described = false;
  if (ratio <= is_slower) return finished();
  process_.verdicts.add(kind().key, state_.nodes, {});
  return left(lost_by(ratio));
}

Action Step::begin_in_place(int contenders) {
  CallKind& tried = kind();
  if (tried.mode == Mode::ours && !tried.is_exchanged()) state_.made = {{tried.way, tried.why}};
  tried.trial.emplace(contenders, tried.mode == Mode::ours ? is_slower : enough_gain);
  tried.contenders = std::move(state_.made);
  tried.mode = Mode::trying;
  tried.why = sentence(Cause::trying);
  tried.is_described = false;
  return finished();
}

Action Step::conclude() {
  Alternation& trial = *kind().trial;
  const Alternation::Conclusion& conclusion = state_.message.conclusion;
  process_.account.spend(state_.weight * trial.excess_s());
  state_.knows_accounts = false;  // each rank has an excess of its own
  if (conclusion.end == Alternation::End::goes_on) return trial.go_on(conclusion.remaining), finished();
  Action share = action(Do::share_figures);
  share.figures = state_.rank == 0 ? state_.means : trial.times();
  return share;
}

// All ranks know the times. A trial that is lost leaves the kind to the MPI library, the first time perhaps only until a second
// trial.
Action Step::shared() {
  CallKind& tried = kind();
  const Alternation::Conclusion& conclusion = state_.message.conclusion;
  const auto best = static_cast<std::size_t>(conclusion.best);
  tried.trial_times = {tried.trial->of_way(event_.figures, conclusion.best + 1),
                       tried.trial->of_way(event_.figures, Alternation::vendor)};
  const bool is_faster = conclusion.end == Alternation::End::taken;
  state_.made = std::move(tried.contenders);
  tried.contenders.clear();
  if (is_faster && !tried.is_exchanged()) return keep(best);
  if (!is_faster) {
    const auto second = tried.second_trial == 0 ? second_trial_after(tried.calls, conclusion.ratio) : std::nullopt;
    tried.leave(lost_by(conclusion.ratio));
    if (second) tried.second_trial = *second, tried.mode = Mode::counting;
  }
  settle(is_faster);
  return finished();
}

// Rank 0 finds the next message.
Instruction Step::message() {
  state_.wanted_ratio = 0;
  state_.short_s = short_call_now_s();
  for (const auto look :
       {&Step::told_wishes, &Step::concluded, &Step::demanded, &Step::tuned, &Step::timed, &Step::worthwhile, &Step::hosted})
    if (auto message = (this->*look)()) {
      message->allowance_s = allowance_s();
      return *message;
    }
  Instruction nothing;
  if (state_.wanted_ratio > 0) nothing.next_meeting = state_.meetings.wanted(state_.wanted_ratio);
  return nothing;
}

std::optional<Instruction> Step::told_wishes() {
  if (state_.wishes || state_.own_wishes.empty()) return std::nullopt;
  return Instruction{.what = What::wishes, .number = static_cast<std::int32_t>(state_.own_wishes.size())};
}

// A trial that goes on waits until the account allows what its next part will cost. If that is little, it does not wait, because
// its plans are paid for.
std::optional<Instruction> Step::concluded() {
  while (!state_.gathered.empty()) {
    const auto [tried, sums] = std::move(state_.gathered.back());
    state_.gathered.pop_back();
    Instruction message = message_for(What::conclude, *tried);
    message.conclusion = tried->trial->concluded(sums);
    const double share = 1 / static_cast<double>(state_.ranks);
    state_.means = sums;
    for (double& mean : state_.means) mean *= share;
    if (message.conclusion.end != Alternation::End::goes_on) return message;
    const double excess_s = tried->trial->expected_excess(sums, message.conclusion.remaining) * share;
    const double spent_s = process_.account.spent_s() + state_.others_spent_s;
    if (state_.weight * excess_s <= little_more * spent_s || if_affordable(message, excess_s)) return message;
  }
  return std::nullopt;
}

// What the user or a test has asked for. It is done whatever it costs.
std::optional<Instruction> Step::demanded() {
  const bool at_once = state_.admits_at_once;
  if (!state_.no_group.empty() || (!at_once && !state_.wishes)) return std::nullopt;
  for (const CallKind* const kind : state_.kinds) {
    if (!is_open_here(*kind) || kind->rule == CallKind::Rule::followed || kind->mode != Mode::counting) continue;
    const bool may_have_rule = state_.wishes && kind->rule != CallKind::Rule::refused;
    const ChoiceRule* const rule = may_have_rule ? state_.wishes->rules.find(kind->called, kind->key.block_bytes) : nullptr;
    if (!rule && !(at_once && kind->calls >= 1)) continue;  // the call in which the ranks meet is not counted yet
    if (rule && names_vendor(rule->algorithm)) return message_for(What::obey, *kind);
    if (plans_in_use() >= most_plans) return leaves(*kind, Cause::many_plans);
    if (!state_.has_group) return Instruction{.what = What::group};
    return message_for(rule ? What::obey : What::admit, *kind);
  }
  return std::nullopt;
}

std::optional<Instruction> Step::tuned() {
  if (!state_.no_group.empty() || state_.is_guest || !state_.wishes || state_.wishes->tune_share == 0) return std::nullopt;
  if (process_.tuning.spent_s() + tuning_race_s > state_.wishes->tune_share * event_.now_s) return std::nullopt;
  for (const CallKind* const kind : state_.kinds) {
    if (kind->is_tuned || kind->rule == CallKind::Rule::followed || kind->is_exchanged() || kind->mode == Mode::trying) continue;
    if (kind->calls < Meetings::first || kind->key.block_bytes * state_.ranks > most_memory_of_trial) continue;
    return state_.has_group ? message_for(What::tune, *kind) : Instruction{.what = What::group};
  }
  return std::nullopt;
}

// What a short call that waits for all ranks takes on this communicator, as far as it is known; 0 if it is not. Reads all kinds, so
// it is called once for each message.
double Step::short_call_now_s() const {
  double least = state_.short_call_s.value_or(1e9);
  for (const CallKind* const kind : state_.kinds)
    if (kind->synchronises && kind->vendor_times.calls() >= enough_timed_calls)
      least = std::min(least, seconds_of(kind->vendor_times.ticks_of_call()));
  return least < 1e9 ? least : 0;
}

double Step::group_s() const {
  return state_.has_group ? 0 : std::max(process_.group_cost.of(state_.ranks), calls_of_group * state_.short_s);
}

double Step::plans_s(int plans) const {
  const double first_s = process_.choice_cost.is_known() ? 0 : groups_of_first_choice * process_.group_cost.of(state_.ranks);
  return std::max({process_.choice_cost.of(state_.ranks), calls_of_choice * state_.short_s, first_s}) + plans * plan_s();
}

// The costs of groups and plans are estimated by the program's shortest calls. If these are long, perhaps because ranks are late, a
// short call is timed first, because groups and plans are made by short calls.
std::optional<Instruction> Step::timed() {
  if (state_.has_group || !state_.no_group.empty() || state_.short_call_s || state_.admits_at_once || state_.short_s < long_call_s)
    return std::nullopt;
  const double cost_s = barriers_of_timing * std::min(state_.short_s, barrier_of_rank_s * static_cast<double>(state_.ranks));
  return if_affordable({.what = What::time_call, .cost_s = cost_s}, cost_s);
}

// If it costs more than may be spent now, nothing is done until the account has grown enough.
std::optional<Instruction> Step::if_affordable(const Instruction& message, double cost_s) {
  const double most_s = most_of_expected * cost_s;
  if (most_s <= left_s()) return message;
  state_.wanted_ratio =
      (process_.account.spent_s() + state_.others_spent_s + state_.weight * most_s) / Account::share / event_.now_s;
  return std::nullopt;
}

// Says why the kind's calls are not tried now. Rank 0's words are in the report.
void Step::put_off(CallKind& kind, Cause cause, double trial_s) const {
  if (kind.mode != Mode::counting || kind.second_trial != 0) return;
  kind.why = sentence(cause);
  kind.trial_put_off_s = trial_s;
  kind.is_described = false;
}

// The message that may save most for what it costs. Where no trial was held, one is worth its cost only if the kind's calls have
// taken as long so far.
std::optional<Instruction> Step::worthwhile() {
  if (!state_.no_group.empty() || state_.admits_at_once) return std::nullopt;
  std::optional<Instruction> best;
  std::vector<std::pair<CallKind*, double>> dear;
  double most = 0, cost = 0;
  const int plans = plans_in_use();
  for (CallKind* const kind : state_.kinds) {
    const auto message = work_on(*kind, plans);
    if (!message) continue;
    if (message->cost_s == 0) return message;
    if (kind->mode == Mode::counting && message->cost_s > all_s_of(*kind)) {
      put_off(*kind, Cause::not_worth, message->cost_s);
      continue;
    }
    dear.emplace_back(kind, message->cost_s + group_s());
    const double gain = all_s_of(*kind) / message->cost_s;
    if (best && gain <= most) continue;
    best = message, most = gain, cost = message->cost_s;
  }
  if (!best) return std::nullopt;
  if (!state_.has_group) {
    best = Instruction{.what = What::group, .cost_s = group_s()};
    cost += group_s();
  }
  const auto message = if_affordable(*best, cost);
  for (const auto& [kind, trial_s] : dear)
    if (!message) put_off(*kind, Cause::too_dear, trial_s);
  return message;
}

// Meetings of guests are worth their cost only if their calls have taken as long so far.
std::optional<Instruction> Step::hosted() {
  if (state_.worth_of_guests == 0) return std::nullopt;
  Instruction message{.what = What::host};
  if (state_.worth_of_guests >= asked_for) return message;
  message.cost_s = process_.split_cost.of(state_.ranks);
  return message.cost_s <= seconds_of(state_.worth_of_guests) ? if_affordable(message, message.cost_s) : std::nullopt;
}

std::optional<Instruction> Step::work_on(const CallKind& kind, int plans) const {
  if (!is_open_here(kind)) return std::nullopt;
  if (kind.mode == Mode::ours && kind.calls >= kind.next_trial) {
    if (kind.trial_times.ours_s.empty() && kind.vendor_times.calls() == 0) return std::nullopt;
    return trial_of(kind, kind.trial_times.ours_s.empty() ? call_s_of(kind) : median_of(kind.trial_times.ours_s));
  }
  if (kind.mode != Mode::counting || kind.rule == CallKind::Rule::followed || kind.vendor_times.calls() < enough_timed_calls ||
      kind.calls < kind.second_trial)
    return std::nullopt;
  if (kind.is_exchanged() && !has_root(kind.key.function) && !kind.knows_blocks) return std::nullopt;
  if (plans >= most_plans) return leaves(kind, Cause::many_plans);
  const bool may_have_verdict = state_.has_group && kind.second_trial == 0;
  if (const auto verdict = may_have_verdict ? process_.verdicts.find(kind.key, state_.nodes) : std::nullopt) {
    if (!verdict->is_faster) return leaves(kind, Cause::slower_for_class);
    Instruction message = message_for(What::take, kind);
    message.cost_s = plan_s();
    if (verdict->way) {
      const Way& way = *verdict->way;
      message.policy = static_cast<std::int32_t>(way.policy), message.executor = static_cast<std::int32_t>(way.executor);
      message.buffers = way.buffers;
      if (way.algorithm.size() >= sizeof message.algorithm) return std::nullopt;
      std::memcpy(message.algorithm, way.algorithm.data(), way.algorithm.size());
    }
    return message;
  }
  return trial_of(kind, call_s_of(kind));
}

// `call_s`: the time of a call without late ranks. Ours may take twice as long.
Instruction Step::trial_of(const CallKind& kind, double call_s) const {
  const bool is_again = kind.mode == Mode::ours, by_exchange = kind.is_exchanged();
  const auto made_s = [&](int contenders) {
    if (is_again || (by_exchange && state_.has_exchange)) return 0.0;
    return by_exchange ? plan_s() : plans_s(contenders);
  };
  const auto is_too_dear = [&](double cost_s) { return group_s() + cost_s > left_s(); };
  // A trial of fewer contenders or calls costs less, and may then be allowed earlier.
  if (call_s >= long_call_s) {
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

const std::vector<InstructionRule>& instruction_rules() {
  static const std::vector<InstructionRule> rules{
      {What::wishes, "wishes", "`QUADRILLE_CHOOSE` or `QUADRILLE_TUNE` is set, and the ranks do not know it yet", "hear it", "",
       ""},
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
       "calls of about this size lost a trial, on this communicator or on one whose ranks lie on nodes in the same way; or there "
       "are "
       "plans for 128 kinds of calls",
       "give the calls to the MPI library", "counting", "vendor"},
      {What::take, "take", "such calls won a trial", "make the plan that won", "counting", "ours, vendor"},
      {What::group, "group", "a message that makes or tries plans is due, and there is no group; for a trial, both must be paid",
       "make the group", "", ""},
      {What::try_in_loop, "try_in_loop",
       "a call takes less than half a millisecond, and all of them have taken as long as a trial will; in mode ours: at call 2^k, "
       "from "
       "the 512th to the 8,192nd on",
       "time up to three contenders and the MPI library on buffers of the drop-in's own, by turns, four times 2 to 32 calls; take "
       "the "
       "fastest "
       "one, if the median of its ratios is at most 0.9 (a second trial is held if it is at most 1.13). In mode ours: keep the "
       "plan, "
       "unless it lost twice",
       "counting, ours", "ours, vendor"},
      {What::try_in_place, "try_in_place", "the same for longer calls",
       "make up to two contenders; then the program's own calls run by turns", "counting, ours", "trying, vendor"},
      {What::host, "host", "the guests' calls have taken as long as it will take to let them meet", "let guests meet", "", ""},
      {What::nothing, "nothing", "nothing else is worth its cost, or may be paid",
       "run the call in which they met, and meet next in call 2^k, or earlier if rank 0 says so", "", ""},
  };
  return rules;
}

Way Instruction::way() const {
  return {.algorithm = algorithm,
          .policy = static_cast<Policy>(policy),
          .buffers = buffers,
          .executor = static_cast<Executor>(executor)};
}

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

std::uint64_t State::calls_so_far() const {
  std::uint64_t calls = 0;
  for (const CallKind* const kind : kinds) calls += kind->calls;
  return calls;
}

double State::worth_ticks() const {
  if (!no_group.empty() || (!asks_host && calls_so_far() < next_as_guest)) return 0;
  std::uint64_t ticks = 0;
  for (const CallKind* const kind : kinds) {
    const bool is_open = kind->mode == CallKind::Mode::counting && kind->rule != CallKind::Rule::followed;
    const bool is_due = kind->mode == CallKind::Mode::ours && kind->calls >= kind->next_trial;
    const bool is_tried = kind->trial && kind->trial->is_due();
    if (never_synchronises(kind->key.function) && (is_open || is_due || is_tried)) ticks += kind->vendor_times.ticks() + 1;
  }
  return asks_host && ticks > 0 ? asked_for : static_cast<double>(ticks);
}

std::uint64_t DecidingProcess::calls_on_guests() const {
  const Guest& first = waiting.front();
  std::uint64_t hash = 1;
  for (const Guest& guest : guests)
    if (guest.colour == first.colour) hash = hash_with(hash_with(hash, guest.state->calls_so_far()), guest.state == first.state);
  return hash;
}

Action step(State& state, DecidingProcess& process, const Event& event) { return Step(state, process, event).next(); }

}  // namespace quadrille::mpi_face

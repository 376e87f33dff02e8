// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/policy/step.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "foundation/arithmetic.hpp"
#include "foundation/assert.hpp"
#include "foundation/hash.hpp"
#include "foundation/planted.hpp"
#include "quadrille/candidate.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::size_t most_samples = 15;
constexpr double misses_by_little = 1.25;
constexpr double is_slower = 1.0;  // a plan is abandoned if it takes more than this multiple of the MPI library's time

using What = Instruction::What;
using Mode = CallKind::Mode;

constexpr bool is_about_kind(What what) {
  return what != What::nothing && what != What::wishes && what != What::time_call && what != What::group && what != What::host;
}

// Is the message one that this rank can carry out?
bool is_valid(const Instruction& message, const State& state) {
  if (message.what < What::nothing || message.what > What::host || message.number < 0) return false;
  if (!is_about_kind(message.what)) return true;
  if (message.kind >= state.kinds.size()) return false;
  if (message.what == What::take && !state.kinds[message.kind]->is_exchanged() && !unpacked(message.way)) return false;
  if (message.what == What::conclude) return state.kinds[message.kind]->trial.has_value();
  if (message.what == What::try_in_place && message.is_learned && !state.kinds[message.kind]->is_exchanged() &&
      !unpacked(message.way))
    return false;
  return state.group.exists || message.what == What::leave || message.what == What::obey;
}

// One step: what follows from an event.
class Step {
 public:
  Step(State& state, DecidingProcess& process, const Event& event) : state_(state), process_(process), event_(event) {}

  Action next() {
    const Action action = event_.what == Event::What::meeting ? begin() : after_action();
    state_.doing = action.what;
    if (action.what == Do::leave && state_.meeting.is_guest && !state_.meeting.had_group) state_.group.exists = false;
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

  // All ranks carry out the message.
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
  void end_sharing();
  Action left(std::string cause);
  Action keep(std::size_t best);
  void settle(bool is_faster);
  void leave_all();
  void note_first_trial(bool is_won) {
    if (kind().trials.times.ours_s.empty()) process_.odds.add(is_won);
  }

  Action action(Do what, std::int32_t number = 0) {
    const bool makes = what == Do::make_way || what == Do::make_contenders;
    return {.what = what, .kind = state_.message.kind, .number = number, .mates = makes ? state_.mates_of(kind()) : 0};
  }

  State& state_;
  DecidingProcess& process_;
  const Event& event_;
};

// Begins a meeting. Its first allreduces wait for late ranks, as the call would anyway. So the account is charged only for what
// follows the allreduce of accounts (carry_out).
Action Step::begin() {
  if (!event_.is_guest) state_.is_asked = false;
  state_.asks_host = false;
  state_.next_as_guest = std::bit_ceil(std::max(state_.calls_so_far() + 1, Meetings::at_the_latest));
  state_.meeting.is_guest = event_.is_guest, state_.meeting.had_group = state_.group.exists, state_.meeting.knows_accounts = false;
  state_.meeting.next_kind = 0;
  state_.meeting.gathered.clear();
  if (!state_.group.why_not.empty()) return leave_all(), action(Do::leave);
  return add_up();
}

void Step::leave_all() {
  for (CallKind* const kind : state_.kinds)
    if (kind->mode == Mode::counting) kind->leave(state_.group.why_not);
}

// Adds up the times of all trials in place that are due, one trial after the other.
Action Step::add_up() {
  for (; state_.meeting.next_kind < state_.kinds.size(); ++state_.meeting.next_kind)
    if (const CallKind& kind = *state_.kinds[state_.meeting.next_kind]; kind.trial && kind.trial->is_due())
      return {.what = Do::add_up, .kind = kind.number, .figures = kind.trial->times()};
  return find_slowest();
}

bool has_slowest(const CallKind& kind) { return !kind.synchronises && !kind.is_exchanged() && kind.mode == Mode::counting; }

// Tells rank 0 how long calls that do not synchronise took on the slowest rank.
Action Step::find_slowest() {
  Action find = action(Do::find_slowest);
  for (const CallKind* const kind : state_.kinds) {
    if (state_.meeting.is_guest || !has_slowest(*kind)) continue;
    find.figures.push_back(kind->vendor_times.calls() > 0 ? state_.seconds_of(kind->vendor_times.ticks_of_call()) : 0);
    find.figures.push_back(state_.seconds_of(static_cast<double>(kind->vendor_times.ticks())));
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

// Finds the greatest worth_ticks() of the ranks' first guests, and whether any of these guests has met.
Action Step::ask_guests() {
  Action ask = action(Do::ask_guests);
  ask.figures = {process_.waiting.empty() ? 0 : process_.waiting.front().state->worth_ticks(), process_.has_met ? 1.0 : 0.0};
  return ask;
}

Action Step::send_message() {
  if (state_.rank == 0) state_.message = next_instruction(state_, process_, event_.now_s);
  if (is_planted("message not sent") && state_.rank == 0 && state_.message.what == What::group) return carry_out();
  return action(Do::send_message);
}

Action Step::after_action() {
  switch (state_.doing) {
    case Do::leave: break;
    case Do::add_up:
      if (state_.rank == 0) state_.meeting.gathered.emplace_back(state_.kinds[state_.meeting.next_kind], event_.figures);
      ++state_.meeting.next_kind;
      return add_up();
    case Do::find_slowest:
      if (state_.rank == 0) {
        auto figure = event_.figures.begin();
        for (CallKind* const kind : state_.kinds)
          if (has_slowest(*kind)) kind->slowest.call_s = *figure++, kind->slowest.all_s = *figure++;
      }
      return begin_guests();
    case Do::ask_guests:
      state_.worth_of_guests = event_.figures[0];
      if (event_.figures[1] > 0) return send_message();
      if (!process_.waiting.empty()) process_.waiting.pop_front();  // no guest met in the last turn: each rank gives up its first
      process_.has_met = true;
      return ask_guests();
    case Do::send_message: state_.message = event_.message; return hear();
    case Do::agree_account: return agreed();
    default: break;
  }
  QUADRILLE_ASSERT(state_.doing != Do::leave);
  if (event_.choice_s > 0) process_.choice_cost.measured_after_first(event_.choice_s, state_.ranks);
  if (event_.plan_s > 0) process_.plan_cost.measured(event_.plan_s, state_.ranks);
  if (state_.doing == Do::race && !is_planted("race not charged")) process_.tuning.spend(event_.now_s - state_.meeting.began_s);
  if (event_.what == Event::What::failed && state_.doing != Do::make_group) return left(std::string(sentence(Cause::no_plan)));
  switch (state_.doing) {
    case Do::hear_wishes:
      state_.wishes = event_.wishes;
      for (const CallKind* const each : state_.kinds) state_.ask_for(*each);
      return finished();
    case Do::time_call:
      state_.short_call_s = std::min(event_.figures[0], state_.short_call_s.value_or(event_.figures[0]));
      return finished();
    case Do::make_group:
      process_.group_cost.measured(event_.now_s - state_.meeting.began_s, state_.ranks);
      if (event_.what == Event::What::failed)
        state_.group.why_not = event_.why, leave_all();
      else
        state_.group.exists = true, state_.group.nodes = event_.nodes;
      return finished();
    case Do::host:  // the guests charge their own time themselves
      process_.account.spend(state_.weight * event_.figures[0]);
      process_.split_cost.measured(event_.figures[0], state_.ranks);
      state_.meeting.knows_accounts = false;
      process_.has_met = event_.figures[1] > 0;
      if (process_.has_met) process_.waiting.pop_front();
      return ask_guests();
    case Do::make_named:
      if (event_.made.empty()) return kind().rule = CallKind::Rule::refused, finished();
      state_.meeting.made = event_.made;
      return keep(0);
    case Do::make_exchange:
      if (!event_.why.empty()) return left(event_.why);
      state_.group.has_exchange = true;
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

// The ranks find the greatest of their accounts, because rank 0 knows only its own. They do so with the first message, and again
// after guests have met or a trial in place has cost the ranks different times.
Action Step::hear() {
  const Instruction& message = state_.message;
  QUADRILLE_ASSERT(is_valid(message, state_));
  if (message.what == What::nothing) {
    const bool is_missed = is_planted("meeting missed") && state_.rank == 1;
    if (!state_.meeting.is_guest && !is_missed) state_.meetings.meet_at(message.next_meeting);
    return action(Do::leave);
  }
  if (state_.meeting.knows_accounts) return carry_out();
  Action agree = action(Do::agree_account);
  agree.figures = {state_.meeting.spent_s = process_.account.spent_s()};
  return agree;
}

Action Step::agreed() {
  const Instruction& message = state_.message;
  const double spent_s = is_planted("own account") ? state_.meeting.spent_s : event_.figures[0];
  state_.meeting.knows_accounts = true;
  state_.meeting.others_spent_s = event_.figures[0] - state_.meeting.spent_s;
  if (message.cost_s > 0 && spent_s + state_.weight * message.cost_s > message.allowance_s) return action(Do::leave);
  return carry_out();
}

// The message's kind has lost its plan. The kinds that shared it are left, too, or counted again.
void Step::end_sharing() {
  for (CallKind* const each : state_.kinds) {
    if (each->plan_of != &kind()) continue;
    each->leave(std::string(sentence(Cause::slower_for_class)));
    if (kind().mode == Mode::counting) each->mode = Mode::counting, each->why = sentence(Cause::rare);
  }
}

// Charges the account for the time of the message, unless the message was for a race or for guests, whose time is charged
// elsewhere. Then rank 0 sends the next message.
Action Step::finished() {
  QUADRILLE_ASSERT(event_.now_s >= state_.meeting.began_s);
  if (is_about_kind(state_.message.what) && !kind().may_be_ours() && !is_planted("sharing not ended")) end_sharing();
  if (state_.message.what != What::tune && state_.message.what != What::host)
    process_.account.spend(state_.weight * (event_.now_s - state_.meeting.began_s));
  return send_message();
}

Action Step::left(std::string cause) {
  kind().leave(std::move(cause));
  return finished();
}

Action Step::carry_out() {
  const Instruction& message = state_.message;
  state_.meeting.began_s = event_.now_s;
  state_.meeting.trials = 0;
  state_.meeting.vendors_s.clear(), state_.meeting.ours_s.clear(), state_.meeting.made.clear();
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
        tried.trials.next = next_epoch(tried.calls, tried.moved);
        state_.meeting.vendors_s = tried.trials.times.vendors_s, state_.meeting.ours_s = {tried.trials.times.ours_s};
        return action(Do::run_trial, message.number);
      }
      return tried.is_exchanged() ? action(Do::make_exchange)
                                  : action(Do::make_contenders, static_cast<std::int32_t>(most_plans_of_trial));
    }
    case What::try_in_place:
      if (kind().is_exchanged()) return action(Do::make_exchange);
      if (kind().mode == Mode::ours) return begin_in_place(1);
      return message.is_learned ? action(Do::make_way) : action(Do::make_contenders, message.number);
    case What::tune:
      kind().is_tuned = true;
      kind().mode = Mode::counting;
      kind().way.reset();
      kind().is_elastic = false;
      kind().why = sentence(Cause::rare);
      kind().trials.times = {};
      kind().is_described = false;
      process_.verdicts.remove(kind().key, state_.group.nodes);
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

// The plans, or the exchange, exist now.
Action Step::prepared() {
  state_.meeting.made = event_.made;
  const bool by_exchange = state_.doing == Do::make_exchange;
  if (!by_exchange && state_.meeting.made.empty()) {
    if (!state_.message.is_learned) return left(event_.why);
    kind().trials.ignores_findings = true;
    return finished();
  }
  switch (state_.message.what) {
    case What::try_in_loop: return action(Do::run_trial, state_.message.number);
    case What::try_in_place: return begin_in_place(by_exchange ? 1 : static_cast<int>(state_.meeting.made.size()));
    default: break;
  }
  if (!by_exchange) return keep(0);
  settle(true);
  return finished();
}

Action Step::keep(std::size_t best) {
  CallKind& kept = kind();
  if (!is_planted("mode of one rank") || state_.rank != 1) kept.mode = Mode::ours;
  kept.trial.reset();
  kept.way = state_.meeting.made[best].way;
  kept.why = state_.meeting.made[best].why;
  kept.is_described = false;
  kept.is_elastic = state_.meeting.made[best].is_elastic;
  if (kept.is_elastic)
    for (CallKind* const each : state_.kinds) state_.let_share(*each);
  return action(Do::keep, static_cast<std::int32_t>(best));
}

// Ends a first trial, or records a decision that needed no trial.
void Step::settle(bool is_faster) {
  CallKind& settled = kind();
  if (is_faster) {
    settled.mode = Mode::ours;
    settled.trial.reset();
    settled.trials.next = state_.admits_at_once || settled.rule == CallKind::Rule::followed
                              ? TrialsOfKind::never
                              : next_epoch(settled.calls, settled.moved);
    if (settled.is_exchanged()) settled.why = "it needs no plan";
  }
  if (state_.group.exists) process_.verdicts.add(settled.key, state_.group.nodes, {is_faster, settled.way});
  settled.is_described = false;
}

// Takes the fastest contender if it is faster than the MPI library by enough (enough_gain). If the contender misses this by
// little, the trial is repeated.
Action Step::tried() {
  if (event_.vendors_s.empty()) return left(event_.why);
  QUADRILLE_ASSERT(!event_.ours_s.empty());
  state_.meeting.vendors_s.insert(state_.meeting.vendors_s.end(), event_.vendors_s.begin(), event_.vendors_s.end());
  state_.meeting.ours_s.resize(event_.ours_s.size());
  std::vector<double> ratios;
  for (std::size_t way = 0; way < event_.ours_s.size(); ++way) {
    state_.meeting.ours_s[way].insert(state_.meeting.ours_s[way].end(), event_.ours_s[way].begin(), event_.ours_s[way].end());
    QUADRILLE_ASSERT(state_.meeting.ours_s[way].size() == state_.meeting.vendors_s.size());
    ratios.push_back(TrialTimes{state_.meeting.ours_s[way], state_.meeting.vendors_s}.ratio());
  }
  const auto best = static_cast<std::size_t>(std::min_element(ratios.begin(), ratios.end()) - ratios.begin());
  const double ratio = ratios[best];
  const bool is_repeated = ratio > enough_gain && ratio <= misses_by_little * enough_gain && ++state_.meeting.trials < most_trials;
  if (is_repeated) return action(Do::run_trial, state_.message.number);
  note_first_trial(ratio <= enough_gain);
  kind().trials.times = {state_.meeting.ours_s[best], state_.meeting.vendors_s};
  if ((ratio <= enough_gain || is_planted("loser kept")) && !kind().is_exchanged()) return keep(best);
  if (ratio > enough_gain) kind().leave(lost_by(ratio));
  settle(ratio <= enough_gain);
  return finished();
}

// The plan in use was compared with the MPI library's function again. A plan that loses is abandoned for good, so a lost trial is
// repeated once before that.
Action Step::tried_again() {
  const auto add = [](std::vector<double>& all, const std::vector<double>& more) {
    all.insert(all.end(), more.begin(), more.end());
    if (all.size() > most_samples) all.erase(all.begin(), all.end() - most_samples);
  };
  if (event_.vendors_s.empty()) return finished();
  QUADRILLE_ASSERT(event_.ours_s.size() == 1 && event_.ours_s[0].size() == event_.vendors_s.size());
  add(state_.meeting.vendors_s, event_.vendors_s);
  add(state_.meeting.ours_s[0], event_.ours_s[0]);
  kind().trials.times = {state_.meeting.ours_s[0], state_.meeting.vendors_s};
  const double ratio = kind().trials.times.ratio();
  if (ratio > is_slower && ++state_.meeting.trials < most_trials) return action(Do::run_trial, state_.message.number);
  kind().is_described = false;
  if (ratio <= is_slower) return finished();
  process_.verdicts.add(kind().key, state_.group.nodes, {});
  return left(lost_by(ratio));
}

Action Step::begin_in_place(int contenders) {
  CallKind& tried = kind();
  if (tried.mode == Mode::ours && !tried.is_exchanged()) state_.meeting.made = {{tried.way, tried.why, tried.is_elastic}};
  tried.trial.emplace(contenders, tried.mode == Mode::ours || state_.message.is_learned ? is_slower : enough_gain);
  tried.trials.ignores_findings = true;
  tried.trials.contenders = std::move(state_.meeting.made);
  QUADRILLE_ASSERT(tried.is_exchanged() || tried.trials.contenders.size() == static_cast<std::size_t>(contenders));
  tried.mode = Mode::trying;
  tried.why = sentence(Cause::trying);
  tried.is_described = false;
  return finished();
}

Action Step::conclude() {
  Alternation& trial = *kind().trial;
  const Alternation::Conclusion& conclusion = state_.message.conclusion;
  process_.account.spend(state_.weight * trial.excess_s());
  state_.meeting.knows_accounts = is_planted("old accounts");  // the excess differs between ranks
  if (conclusion.end == Alternation::End::goes_on) return trial.go_on(conclusion.remaining), finished();
  Action share = action(Do::share_figures);
  share.figures = state_.rank == 0 ? state_.meeting.means : trial.times();
  return share;
}

// All ranks know the times now. If Quadrille loses the trial, the MPI library runs the kind's calls for good or, after a first
// trial that was lost by little, until a second trial.
Action Step::shared() {
  CallKind& tried = kind();
  const Alternation::Conclusion& conclusion = state_.message.conclusion;
  const auto best = static_cast<std::size_t>(conclusion.best);
  note_first_trial(conclusion.end == Alternation::End::taken);
  tried.trials.times = {tried.trial->of_way(event_.figures, conclusion.best + 1),
                        tried.trial->of_way(event_.figures, Alternation::vendor)};
  const bool is_faster = conclusion.end == Alternation::End::taken;
  state_.meeting.made = std::move(tried.trials.contenders);
  tried.trials.contenders.clear();
  if (is_faster && !tried.is_exchanged()) return keep(best);
  if (!is_faster) {
    const auto second = tried.trials.second == 0 ? second_trial_after(tried.calls, conclusion.ratio) : std::nullopt;
    tried.leave(lost_by(conclusion.ratio));
    if (second) tried.trials.second = *second, tried.mode = Mode::counting;
  }
  settle(is_faster);
  return finished();
}

}  // namespace

Action step(State& state, DecidingProcess& process, const Event& event) { return Step(state, process, event).next(); }

}  // namespace quadrille::mpi_face

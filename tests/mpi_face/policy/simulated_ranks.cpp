// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/policy/simulated_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace quadrille::mpi_face::simulated {
namespace {

Doing doing_of(const Action& action) {
  return {.action = static_cast<int>(action.what),
          .kind = action.what >= Do::make_named ? static_cast<int>(action.kind) : 0,
          .number = action.number};
}

std::string_view name_of(CallKind::Mode mode) {
  constexpr std::string_view names[] = {"counting", "trying", "ours", "vendor"};
  return names[static_cast<std::size_t>(mode)];
}

}  // namespace

void Simulation::make_states() {
  faulty_ = fault_ == Fault::acts_before_it_tells ? of(0).members[0] : below(program_.ranks);
  members_ = std::vector<Member>(program_.communicators.size() * static_cast<std::size_t>(program_.ranks));
  now_.resize(static_cast<std::size_t>(program_.ranks));
  together_.resize(2 * program_.communicators.size());
  sent_.resize(program_.calls.size());
  has_ended_.resize(static_cast<std::size_t>(program_.ranks));
  // A rank need not wait in a gather unless it is the root. So it may make the call before a synchronising one that others make
  // first.
  for (int rank = 0; rank < program_.ranks; ++rank) {
    std::vector<std::size_t>& order = now_[static_cast<std::size_t>(rank)].order;
    for (std::size_t i = 0; i < program_.calls.size(); ++i) {
      const Call& call = program_.calls[i];
      const auto& members = of(call.communicator).members;
      if (std::find(members.begin(), members.end(), rank) == members.end()) continue;
      order.push_back(i);
      const KindOfProgram& kind = kind_of(call);
      const bool may_be_ahead = kind.key.function == Function::Gatherv && kind.root != rank && call.needs < 0 && call.sender < 0;
      if (program_.has_ranks_ahead && may_be_ahead && order.size() > 1 &&
          program_.calls[order[order.size() - 2]].communicator == 0 && call.communicator > 0 && below(2))
        std::swap(order[order.size() - 2], order[order.size() - 1]);
    }
  }
  for (int c = 0; c < static_cast<int>(program_.communicators.size()); ++c)
    for (const int rank : of(c).members) {
      Member& here = member(c, rank);
      const auto ranks = static_cast<Count>(of(c).members.size());
      here.state.rank = index_in(c, rank), here.state.ranks = ranks;
      here.state.weight = static_cast<double>(program_.ranks) / static_cast<double>(ranks);
      here.state.tick_s = tick_s, here.state.is_world = c == 0;
      here.state.admits_at_once = program_.admits_at_once;
      here.state.meetings = Meetings(ranks);
      if (here.state.rank == 0) here.state.own_wishes = program_.wishes;
      for (const KindOfProgram& kind : of(c).kinds) {
        CallKind& made = here.kinds.emplace_back();
        made.key = kind.key;
        made.called = kind.synchronises ? "allreduce" : "broadcast";
        made.number = static_cast<std::uint32_t>(here.state.kinds.size());
        made.synchronises = kind.synchronises;
        made.moved = kind.key.block_bytes;
        made.price_s = 1e-5;
        here.state.kinds.push_back(&made);
      }
      if (fault_ == Fault::numbers_kinds_otherwise && is_faulty(rank) && here.kinds.size() > 1) {
        std::swap(here.state.kinds[0], here.state.kinds[1]);
        here.kinds[0].number = 1, here.kinds[1].number = 0;
      }
    }
}

std::string Simulation::run() {
  make_states();
  while (wrong_.empty()) {
    const int first = below(program_.ranks);
    bool has_advanced = false;
    for (int i = 0; i < program_.ranks && !has_advanced; ++i) {
      const int rank = (first + i) % program_.ranks;
      const auto at = static_cast<std::size_t>(rank);
      if (!is_over(now_[at]) && !has_ended_[at]) has_advanced = advance(rank);
    }
    if (!has_advanced) {
      check_waits();
      break;
    }
  }
  return wrong_;
}

// No rank can go on. Those that are not at their end must wait for a rank that has ended early, or for one that does so; those in a
// meeting must be in a call that would wait, too.
void Simulation::check_waits() {
  std::vector<bool> is_lost = has_ended_;
  for (int turn = 0; turn < program_.ranks; ++turn)
    for (std::size_t rank = 0; rank < is_lost.size(); ++rank)
      if (const RankNow& now = now_[rank]; !is_lost[rank] && !is_over(now) && waits_for(static_cast<int>(rank), is_lost))
        is_lost[rank] = now.stage != Stage::meeting || kind_of(call_of(now)).synchronises;
  for (std::size_t rank = 0; rank < is_lost.size(); ++rank) {
    if (!is_over(now_[rank]) && !is_lost[rank]) violate("the ranks wait for each other for ever");
    reached[ended_ranks] += has_ended_[rank] ? 1 : 0;
  }
}

// Lets the rank go on as far as to where others are next concerned. Returns false if it has to wait.
bool Simulation::advance(int rank) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  if (rank == program_.mortal && program_.steps_of_mortal-- == 0) return has_ended_[static_cast<std::size_t>(rank)] = true;
  return (now.has_entered ? leave(rank) : begin_call(rank, call_of(now))) || hears_of_end(rank);
}

// The MPI library may notice that a rank has ended for which this rank waits. Then an action whose failure all ranks know fails;
// otherwise this rank's program ends, too.
bool Simulation::hears_of_end(int rank) {
  const RankNow& now = now_[static_cast<std::size_t>(rank)];
  if (!program_.reports_end || !waits_for(rank, has_ended_)) return false;
  const bool may_fail = now.has_entered && now.stage == Stage::meeting && now.action.what >= Do::make_group &&
                        now.action.what != Do::host && now.action.what != Do::share_figures;
  if (!may_fail) return has_ended_[static_cast<std::size_t>(rank)] = true;
  Together& together = together_of(rank);
  const auto& members = of(now.communicator).members;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (!together.has_entered[i] && !has_ended_[static_cast<std::size_t>(members[i])]) return false;
  together.leaves = Together::Leaves::at_once;
  together.result = {.what = Event::What::failed, .why = "a rank has ended"};
  ++reached[failures_by_end];
  return true;
}

// In the first call that synchronises.
void Simulation::begin(int rank, int communicator) {
  State& state = member(communicator, rank).state;
  if (std::exchange(state.has_synchronised, true)) return;
  if (state.is_world) return state.ask();
  state.wishes = member(0, rank).state.wishes;
  for (const CallKind* const kind : state.kinds) state.ask_for(*kind);
}

bool Simulation::begin_call(int rank, const Call& call) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  if (call.needs == rank && !sent_[now.order[now.next_turn]]) return false;
  now.communicator = call.communicator;
  now.clock_s += program_.pause_s * static_cast<double>(below(1000)) * 1e-3;
  Member& here = member(call.communicator, rank);
  CallKind& kind = here.kinds[static_cast<std::size_t>(call.kind)];
  bool meets = false;
  if (kind.synchronises) {
    begin(rank, call.communicator);
    meets = here.state.meets(kind.price_s);
    if (fault_ == Fault::counts_a_call_twice && is_faulty(rank) && below(20) == 0) meets |= here.state.meets(kind.price_s);
  } else {
    here.state.meetings.adds(kind.price_s);
    meets = fault_ == Fault::meets_in_any_call && kind.calls % 16 == 15;
  }
  if (fault_ == Fault::meets_by_its_own_clock && is_faulty(rank) && kind.synchronises &&
      static_cast<int>(now.clock_s * 1e6) % 29 == 0)
    meets = true;
  if (meets)
    begin_meeting(rank, call.communicator);
  else
    run_call(rank);
  return true;
}

void Simulation::run_call(int rank) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  const Call& call = call_of(now);
  Member& here = member(call.communicator, rank);
  CallKind& kind = here.kinds[static_cast<std::size_t>(call.kind)];
  now.stage = Stage::call;
  ++kind.calls;
  auto& guests = now.process->guests;
  const auto is_it = [&](const Guest& guest) { return guest.state == &here.state; };
  const bool is_due = kind.is_exchanged() && kind.calls == (program_.admits_at_once ? 2 : Meetings::at_the_latest);
  if (is_due && program_.admits_at_once) here.state.ask();
  if (is_due && call.communicator > 0 && std::none_of(guests.begin(), guests.end(), is_it))
    guests.push_back({&here.state, colour_of(call.communicator)});
  const auto plans = std::count_if(here.kinds.begin(), here.kinds.end(),
                                   [](const CallKind& each) { return each.mode == CallKind::Mode::ours && !each.plan_of; });
  if (plans > 128) violate("there are more than 128 plans");
  reached[calls_with_most_plans] += plans == 128 ? 1 : 0;
  if (const CallKind* const owner = kind.plan_of) {
    ++reached[shared_calls];
    if (!owner->may_be_ours() || !owner->is_elastic || owner->plan_of || !are_of_one_class(owner->key, kind.key))
      violate(fmt::format("rank {} runs kind {} by the plan of kind {}", rank, kind.number, owner->number));
  }
  const KindOfProgram& made = kind_of(call);
  const int way = kind.plan_of                          ? 2 + static_cast<int>(kind.plan_of->number)
                  : kind.mode == CallKind::Mode::trying ? kind.trial->next()
                  : kind.mode == CallKind::Mode::ours   ? 1
                                                        : 0;
  enter(rank, {.kind = call.kind, .number = static_cast<int>(kind.calls), .way = way},
        made.synchronises     ? Together::Leaves::all_together
        : kind.is_exchanged() ? Together::Leaves::root_last
                              : Together::Leaves::after_root,
        index_in(call.communicator, made.root), nullptr);
}

void Simulation::begin_meeting(int rank, int communicator, bool is_guest) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  now.stage = Stage::meeting, now.communicator = communicator, now.is_guest = is_guest;
  if (is_guest)
    begin(rank, communicator);
  else
    now.steps = 0;
  const Event event{
      .what = Event::What::meeting, .now_s = now.clock_s + program_.skew_s[static_cast<std::size_t>(rank)], .is_guest = is_guest};
  act(rank, step(member(communicator, rank).state, *now.process, event));
}

void Simulation::act(int rank, const Action& action) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  Member& here = member(now.communicator, rank);
  now.action = action;
  if (action.what == Do::leave) return end_meeting(rank);
  if (action.what >= Do::hear_wishes && !here.state.kinds.empty()) check_affordable(rank, here);
  if (action.what == Do::race) check_race(rank, here, action);
  const bool to_rank0 = action.what == Do::add_up || action.what == Do::find_slowest;
  const bool from_rank0 = action.what == Do::send_message || action.what == Do::share_figures || action.what == Do::hear_wishes;
  enter(rank, doing_of(action),
        to_rank0                  ? Together::Leaves::root_last
        : from_rank0              ? Together::Leaves::after_root
        : action.what == Do::keep ? Together::Leaves::at_once
                                  : Together::Leaves::all_together,
        0, &now.action);
}

// The call follows, or the meeting of the world.
void Simulation::end_meeting(int rank) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  if (!now.is_guest) return run_call(rank);
  ++reached[guest_meetings];
  now.communicator = 0, now.is_guest = false;
  now.action = {.what = Do::host};
  Event event{.now_s = now.clock_s + program_.skew_s[static_cast<std::size_t>(rank)]};
  event.figures = {1e-5, 1};
  go_on(rank, event);
}

// Do all of its ranks name the guest that comes first on this one, and are they equally far on it?
bool Simulation::meets_as_guest(const Together& together, int rank) {
  const auto named = together.guests[static_cast<std::size_t>(index_in(0, rank))];
  if (named.first < 0) return false;
  for (const int other : of(named.first).members) {
    const auto& others = together.guests[static_cast<std::size_t>(index_in(0, other))];
    if (others.first < 0 || colour_of(others.first) != colour_of(named.first)) return false;
    if (others.second != named.second && fault_ != Fault::trusts_guests_unchecked) return false;
  }
  return true;
}

// By the greatest account of the members, at the time when rank 0 allowed it.
void Simulation::check_affordable(int rank, const Member& here) {
  const Instruction& message = here.state.message;
  if (message.cost_s == 0 || here.state.meeting.trials > 0) return;
  const RankNow& now = now_[static_cast<std::size_t>(rank)];
  const double spent_s = std::max(now.spent_s, now.process->account.spent_s());
  if (spent_s + here.state.weight * message.cost_s > message.allowance_s * 1.000001 &&
      (now.action.what == Do::make_group || now.action.what == Do::make_contenders || now.action.what == Do::make_way ||
       now.action.what == Do::run_trial))
    violate(fmt::format("rank {} has spent {} s, and a step of {} s exceeds the allowance of {} s", rank, spent_s, message.cost_s,
                        message.allowance_s));
}

// By rank 0's clock the ranks race if a whole race exceeds the user's share of the time no more than those before it.
void Simulation::check_race(int rank, Member& here, const Action& action) {
  const RankNow& now = now_[static_cast<std::size_t>(rank)];
  if (!here.raced.insert(action.kind).second) violate(fmt::format("rank {} races for kind {} again", rank, action.kind));
  const double now_s = now.clock_s + program_.skew_s[static_cast<std::size_t>(rank)];
  if (here.state.rank == 0 && now.raced_s + tuning_race_s > program_.tune_share * now_s * 1.000001)
    violate(fmt::format("rank {} has raced for {} s, and races again after {} s", rank, now.raced_s, now_s));
}

// What was found about calls of this function and size on as many ranks.
void Simulation::check_learned(int rank, const Instruction& message) {
  const RankNow& now = now_[static_cast<std::size_t>(rank)];
  const Key& key = member(now.communicator, rank).state.kinds.at(message.kind)->key;
  const auto is_about = [&](const CallFinding& each) {
    return each.function == static_cast<std::uint8_t>(key.function) && each.ranks == of(now.communicator).members.size() &&
           each.size_class == std::bit_width(std::bit_ceil(static_cast<std::uint64_t>(key.block_bytes)));
  };
  if (std::none_of(program_.found.begin(), program_.found.end(), is_about))
    violate(fmt::format("rank {} tries for kind {} what was found about other calls", rank, message.kind));
}

void Simulation::enter(int rank, const Doing& doing, Together::Leaves leaves, int root, const Action* action) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  Member& here = member(now.communicator, rank);
  auto& all = all_of(now);
  std::size_t& next = here.next_together[now.is_guest];
  const auto size = of(now.communicator).members.size();
  const auto index = static_cast<std::size_t>(index_in(now.communicator, rank));
  if (next == all.size()) {
    Together& made = all.emplace_back();
    made.doing = doing, made.leaves = leaves, made.root = root;
    made.has_entered.resize(size), made.entered_s.resize(size), made.figures.resize(size), made.guests.resize(size);
    made.takes_s = 1e-7 * below(100);
    if (action) set_result(made, now.communicator, *action);
  }
  Together& together = all[next];
  if (together.doing != doing)
    violate(fmt::format("call {}: rank {} begins {}, and another rank {}", now.order[now.next_turn], rank, text_of(doing),
                        text_of(together.doing)));
  together.has_entered[index] = true, together.entered_s[index] = now.clock_s;
  if (action) together.figures[index] = action->figures;
  if (action && action->what == Do::host) {
    together.guests[index] = {-1, 0};
    for (int c = 0; c < static_cast<int>(program_.communicators.size()) && !now.process->waiting.empty(); ++c)
      if (now.process->waiting.front().state == &member(c, rank).state)
        together.guests[index] = {c, now.process->calls_on_guests()};
  }
  if (action && action->what == Do::send_message && here.state.rank == 0) together.message = here.state.message;
  now.has_entered = true;
}

// Does one member wait until the other has entered?
bool Simulation::needs(const Together& together, int index, int other) {
  switch (together.leaves) {
    case Together::Leaves::all_together: return true;
    case Together::Leaves::after_root: return other == together.root;
    case Together::Leaves::root_last: return index == together.root;
    case Together::Leaves::at_once: return false;
  }
  return false;
}

// Requires that the rank waits.
bool Simulation::waits_for(int rank, const std::vector<bool>& ranks) {
  const RankNow& now = now_[static_cast<std::size_t>(rank)];
  if (!now.has_entered) return ranks[static_cast<std::size_t>(call_of(now).sender)];
  const Together& together = together_of(rank);
  const auto& members = of(now.communicator).members;
  for (int i = 0; i < static_cast<int>(members.size()); ++i)
    if (!together.has_entered[static_cast<std::size_t>(i)] && needs(together, index_in(now.communicator, rank), i) &&
        ranks[static_cast<std::size_t>(members[static_cast<std::size_t>(i)])])
      return true;
  return false;
}

bool Simulation::leave(int rank) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  Member& here = member(now.communicator, rank);
  Together& together = together_of(rank);
  const int index = index_in(now.communicator, rank);
  for (std::size_t i = 0; i < together.has_entered.size(); ++i)
    if (!together.has_entered[i] && needs(together, index, static_cast<int>(i))) return false;
  double begin_s = now.clock_s;
  for (std::size_t i = 0; i < together.entered_s.size(); ++i) {
    const bool waits = together.leaves == Together::Leaves::all_together || static_cast<int>(i) == together.root ||
                       (together.leaves == Together::Leaves::root_last && index == together.root);
    if (waits && together.has_entered[i]) begin_s = std::max(begin_s, together.entered_s[i]);
  }
  const double entered_s = now.clock_s;
  now.clock_s = begin_s + together.takes_s;
  now.has_entered = false;
  ++here.next_together[now.is_guest];
  if (now.stage == Stage::call) {
    end_call(rank, now.clock_s - entered_s);
    return true;
  }
  if (now.action.what == Do::host) {
    const int named = together.guests[static_cast<std::size_t>(index)].first;
    if (meets_as_guest(together, rank)) return begin_meeting(rank, named, true), true;
  }
  go_on(rank, event_after(rank, together));
  return true;
}

// A change of mode must be in the table that the documentation has.
void Simulation::note_mode(const Instruction& message, CallKind::Mode before, const State& state) {
  if (message.kind >= state.kinds.size()) return;
  const CallKind::Mode after = state.kinds[message.kind]->mode;
  const auto& rules = instruction_rules();
  const auto rule =
      std::find_if(rules.begin(), rules.end(), [&](const InstructionRule& each) { return each.what == message.what; });
  if (before == after || rule == rules.end() || message.what == Instruction::What::group) return;
  const bool is_told = rule->from.find(name_of(before)) != rule->from.npos && rule->to.find(name_of(after)) != rule->to.npos;
  if (!is_told) violate(fmt::format("{} leads from {} to {}", rule->name, name_of(before), name_of(after)));
}

// `before`: CallKind::plan_of of each kind before the step.
void Simulation::err_in_sharing(int rank, Member& here, const std::vector<CallKind*>& before) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    CallKind& kind = *here.state.kinds[i];
    if (fault_ == Fault::forgets_to_share && is_faulty(rank) && kind.plan_of && !before[i])
      kind.mode = CallKind::Mode::counting, kind.plan_of = nullptr;
    if (before[i] && !kind.plan_of) {
      ++reached[ends_of_sharing];
      if (fault_ == Fault::shares_lost_plans) kind.mode = CallKind::Mode::ours, kind.plan_of = before[i];
    }
  }
}

void Simulation::go_on(int rank, const Event& event) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  Member& here = member(now.communicator, rank);
  State& state = here.state;
  const Action done = now.action;
  const bool errs = is_faulty(rank) && below(3) == 0;
  if (++now.steps > 2000) violate(fmt::format("a meeting of rank {} does not end", rank));
  const bool is_loop = state.message.what == Instruction::What::try_in_loop;  // rank 0 then has the next message
  const Instruction message = done.what == Do::send_message ? event.message : state.message;
  const auto before = state.kinds.at(message.kind)->mode;
  if (done.what == Do::send_message && message.is_learned) check_learned(rank, message);
  std::vector<CallKind*> owners;
  for (const CallKind* const each : state.kinds) owners.push_back(each->plan_of);
  Action action = step(state, *now.process, event);
  err_in_sharing(rank, here, owners);
  if (fault_ == Fault::none && done.what >= Do::send_message) note_mode(message, before, state);
  if (fault_ == Fault::spends_without_account && done.what >= Do::make_group && action.what == Do::send_message)
    now.process->account.spend(-now.process->account.spent_s());
  if (fault_ == Fault::races_without_account && done.what == Do::race) now.process->tuning.spend(-now.process->tuning.spent_s());
  if (fault_ == Fault::keeps_a_plan_that_lost && done.what == Do::run_trial &&
      state.kinds[done.kind]->mode == CallKind::Mode::vendor)
    state.kinds[done.kind]->mode = CallKind::Mode::ours;
  if (fault_ == Fault::decides_itself && errs && state.rank != 0 && done.what == Do::send_message &&
      action.what >= Do::hear_wishes) {
    action.what = Do::leave;  // as if it were too dear by this rank's account
    state.doing = Do::leave;
  }
  if (fault_ == Fault::acts_before_it_tells && errs && state.rank == 0 && action.what == Do::send_message &&
      state.message.what == Instruction::What::group) {
    action.what = Do::make_group;
    state.doing = Do::make_group;
  }
  if (fault_ == Fault::drops_a_plan_alone && errs)
    for (CallKind& kind : here.kinds)
      if (kind.mode == CallKind::Mode::ours) kind.leave("alone");
  const bool begins = done.what == Do::send_message || done.what == Do::agree_account;
  if (begins) now.began_s = now.clock_s;
  if (done.what == Do::race) {
    const bool has_failed = event.what == Event::What::failed;
    now.raced_s += now.clock_s - now.began_s;
    if (!has_failed && state.kinds[done.kind]->mode != CallKind::Mode::counting) violate("after a race the kind does not count");
    ++reached[has_failed ? failed_races : races];
  } else if (!begins && action.what == Do::send_message && done.what >= Do::hear_wishes)
    now.spent_s += state.weight * (now.clock_s - now.began_s);
  // A trial of short calls has ended: what it found, all trials of the kind together, decides.
  if (action.what == Do::send_message && (done.what == Do::run_trial || done.what == Do::keep) && is_loop) {
    const CallKind& kind = *state.kinds[done.kind];
    const auto& [ours_s, vendors_s] = kind.trials.times;
    int slower = 0;
    for (std::size_t i = 0; i < ours_s.size(); ++i) slower += ours_s[i] > vendors_s[i] ? 1 : 0;
    const KindOfProgram& made = of(now.communicator).kinds[done.kind];
    const bool has_lost =
        2 * slower > static_cast<int>(ours_s.size()) || (done.what == Do::keep && made.ours_s > 1.6 * made.vendor_s);
    if (kind.mode == CallKind::Mode::ours && has_lost) violate("a plan that lost runs further calls");
  }
  act(rank, action);
}

void Simulation::end_call(int rank, double took_s) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  const Call& call = call_of(now);
  Member& here = member(now.communicator, rank);
  CallKind& kind = here.kinds[static_cast<std::size_t>(call.kind)];
  const KindOfProgram& made = kind_of(call);
  const double call_s = took_s + (kind.mode == CallKind::Mode::ours ? made.ours_s : made.vendor_s);
  now.clock_s += call_s - took_s;
  if (kind.mode == CallKind::Mode::counting) kind.vendor_times.count(static_cast<std::uint64_t>(call_s / tick_s));
  if (kind.mode == CallKind::Mode::trying && !kind.trial->is_due()) {
    kind.trial->count(kind.trial->next() > 0 ? took_s + made.ours_s : call_s);
    if (kind.trial->is_due()) here.state.ask();
  }
  if (rank == call.sender) sent_[now.order[now.next_turn]] = true;
  ++now.next_turn;
  now.stage = Stage::before;
}

}  // namespace quadrille::mpi_face::simulated

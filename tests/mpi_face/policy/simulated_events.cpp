// SPDX-License-Identifier: BSD-3-Clause
// What comes of the actions of simulated ranks.
#include <algorithm>

#include "mpi_face/policy/simulated_ranks.hpp"

namespace quadrille::mpi_face::simulated {

// What comes of an action, equal on all ranks.
void Simulation::set_result(Together& together, int communicator, const Action& action) {
  const CommunicatorOfProgram& here = of(communicator);
  const auto noise = [&] { return 0.8 + 0.4 * static_cast<double>(below(1000)) * 1e-3; };
  Event& result = together.result;
  const auto plans = [&](int number) {
    for (int i = 0; i < number; ++i)
      result.made.push_back(
          {Way{.algorithm = parse_candidate(Collective::alltoall, "bruck")}, "it is fast", action.mates > 0 && here.is_elastic});
    result.why = sentence(Cause::no_contender);
    together.takes_s = here.plan_s * static_cast<double>(here.members.size());
  };
  switch (action.what) {
    case Do::time_call: result.figures = {1e-6 * noise()}; break;
    case Do::hear_wishes: result.wishes = std::make_shared<const Wishes>(parse_wishes(program_.wishes)); break;
    case Do::make_group:
      together.takes_s = here.group_s * static_cast<double>(here.members.size());
      result.nodes.assign(here.members.size(), 0);
      if (!here.has_group) result.what = Event::What::failed, result.why = "no group";
      break;
    case Do::make_named:
    case Do::make_way:
    case Do::make_contenders:
      plans(here.kinds[action.kind].has_plan ? std::max(1, action.number) : 0);
      if (below(50) == 0) result.what = Event::What::failed;  // no memory
      break;
    case Do::run_trial: {
      const KindOfProgram& kind = here.kinds[action.kind];
      together.takes_s = 4 * action.number * (kind.vendor_s + kind.ours_s);
      result.ours_s.resize(1);
      for (int i = 0; i < 3; ++i)
        result.vendors_s.push_back(kind.vendor_s * noise()), result.ours_s[0].push_back(kind.ours_s * noise());
      break;
    }
    case Do::race:
      together.takes_s = tuning_race_s * noise() / 1.2;
      if (below(10) == 0) result.what = Event::What::failed;
      break;
    default: break;
  }
}

Event Simulation::event_after(int rank, const Together& together) {
  RankNow& now = now_[static_cast<std::size_t>(rank)];
  Event event = together.result;
  event.now_s = now.clock_s + program_.skew_s[static_cast<std::size_t>(rank)];
  const Action& done = now.action;
  const bool errs = is_faulty(rank) && below(3) == 0;
  switch (done.what) {
    case Do::host: event.figures = {1e-5, 0}; break;
    case Do::add_up:
      event.figures.assign(together.figures[0].size(), 0);
      for (const auto& each : together.figures)
        for (std::size_t i = 0; i < each.size() && i < event.figures.size(); ++i) event.figures[i] += each[i];
      break;
    case Do::find_slowest:
    case Do::ask_guests:
    case Do::agree_account:
      for (const auto& each : together.figures) {
        event.figures.resize(std::max(event.figures.size(), each.size()));
        for (std::size_t i = 0; i < each.size(); ++i) event.figures[i] = std::max(event.figures[i], each[i]);
      }
      break;
    case Do::share_figures: event.figures = together.figures[0]; break;
    case Do::hear_wishes:
      if (fault_ == Fault::lacks_findings && is_faulty(rank))
        event.wishes = std::make_shared<const Wishes>(parse_wishes(program_.wishes_alone));
      break;
    case Do::send_message:
      event.message = *together.message;
      if (fault_ == Fault::forgets_a_message && errs) event.message = {};
      if (fault_ == Fault::forgets_to_race && is_faulty(rank) && event.message.what == Instruction::What::tune) event.message = {};
      if (fault_ == Fault::exceeds_most_plans && event.message.cause == Cause::many_plans)
        event.message.what = Instruction::What::admit, event.message.cause = {};
      if (fault_ == Fault::forgets_the_next_meeting && errs) event.message.next_meeting = 0;
      break;
    case Do::run_trial:
      if (fault_ == Fault::concludes_from_own_times)
        for (double& each : event.ours_s[0]) each *= 0.7 + 0.6 * static_cast<double>(below(1000)) * 1e-3;
      break;
    case Do::make_group:
      if (fault_ == Fault::ignores_a_refused_group && is_faulty(rank) && event.what == Event::What::failed)
        event.what = Event::What::done, event.nodes.assign(together.has_entered.size(), 0);
      break;
    default: break;
  }
  return event;
}

}  // namespace quadrille::mpi_face::simulated

// SPDX-License-Identifier: BSD-3-Clause
// Carries out on a communicator what policy/step.hpp decides: reads the clock, calls MPI, makes plans, and returns the results as
// events.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "execute/executions/exchanger.hpp"
#include "mpi_face/call.hpp"
#include "mpi_face/mpi_facts.hpp"
#include "mpi_face/policy/step.hpp"
#include "mpi_face/sites.hpp"

namespace quadrille::mpi_face {

class Deciding final {
 public:
  explicit Deciding(const KnownCommunicator& communicator);
  ~Deciding();
  Deciding(const Deciding&) = delete;
  Deciding& operator=(const Deciding&) = delete;

  Sites& sites() { return sites_; }

  // Counts a call that synchronises the ranks, and returns whether they meet in it. Equal on all ranks.
  bool meets(double price_s) {
    if (!state_.has_synchronised) [[unlikely]]
      begin();
    return state_.meets(price_s);
  }

  // As `meets`, for any call that all ranks make with the same price; the ranks meet only in calls that synchronise.
  bool meets(bool synchronises, double price_s) {
    if (synchronises) return meets(price_s);
    state_.meetings.adds(price_s);
    return false;
  }

  // Makes the ranks meet in their next call that synchronises. All ranks must ask in the same call.
  void ask() { state_.ask(); }
  bool is_asked() const { return state_.is_asked; }
  // For a new site: the ranks may have to meet for it, or another site's plan runs its calls.
  void begin_site(Site& site) {
    state_.ask_for(site);
    state_.let_share(site);
  }

  // Collective, in a call that all ranks enter.
  void meet(CallOutcome& outcome) { meet_on(communicator_.handle, outcome); }

  // Makes this communicator a guest (policy/step.hpp): its ranks then also decide in meetings of MPI_COMM_WORLD. If their own
  // calls never synchronise, they have no other meetings.
  void be_guest();

  // Charges the account for what this rank has spent on the communicator.
  void spend(double seconds);
  double weight() const { return state_.weight; }

  Exchanger* exchange() const { return exchange_.get(); }

 private:
  void begin();
  void meet_on(MPI_Comm ranks, CallOutcome& outcome);
  void carry_out(const Action& action, Event& event);
  void carry_out(const Action& action, Site& site, Event& event);
  std::vector<double> reduced(const std::vector<double>& figures, MPI_Op operation);
  void hear_wishes(int bytes, Event& event);
  void time_call(Event& event);
  void make_group(Event& event);
  void host(Event& event);
  void meet_as_guest(MPI_Comm ranks);
  void make_named(Site& site, Event& event);
  void make_exchange(Site& site, Event& event);
  void make_contenders(Site& site, const Action& action, Event& event);
  void run_trial(Site& site, int most_batch, Event& event);
  bool is_otherwise_in_library(const Site& site);
  void drop_plans(std::uint32_t kind);

  State state_;
  const KnownCommunicator& communicator_;
  Sites sites_;
  MPI_Comm on_;  // has the communicator's ranks; the ranks meet on it
  std::unique_ptr<Communicator> group_;
  std::unique_ptr<Exchanger> exchange_;
};

}  // namespace quadrille::mpi_face

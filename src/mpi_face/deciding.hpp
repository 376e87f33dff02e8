// SPDX-License-Identifier: BSD-3-Clause
// Decides which calls on a communicator Quadrille runs ("ours") instead of the MPI library ("the vendor").
//
// The ranks meet in some of the calls that synchronise them anyway (policy/meetings.hpp): a program may rely on calls that do not
// wait for all ranks, such as a broadcast. In a meeting rank 0 decides by its own clock and account what is worth its cost, and
// tells the others, step by step: to make the group, to make plans and try them, to take or leave them. What a process may spend is
// limited (policy/account.hpp), so rare calls and short runs cost next to nothing.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "execute/executions/exchanger.hpp"
#include "mpi_face/guests.hpp"
#include "mpi_face/outcome.hpp"
#include "mpi_face/policy/meetings.hpp"
#include "mpi_face/sites.hpp"
#include "mpi_face/step.hpp"
#include "mpi_face/wishes.hpp"

namespace quadrille::mpi_face {

constexpr double tuning_race_s = 0.05;  // seconds of a race during the program's run
constexpr int barriers_of_timing = 4;   // in Step::What::time_call
constexpr int most_trials = 2;          // of one site in one meeting: a second one if the first says that both take about as long

class Deciding final : private Guest {
 public:
  Deciding(MPI_Comm communicator, Rank rank, Count ranks, Sites& sites);
  ~Deciding() { Guests::of_process().remove(*this); }
  Deciding(const Deciding&) = delete;
  Deciding& operator=(const Deciding&) = delete;

  // Counts a call that synchronises the ranks, and returns whether they meet in it. Equal on all ranks.
  bool meets(double price_s) {
    if (!has_synchronised_) [[unlikely]]
      begin();
    return meetings_.counts(price_s) || is_asked_;
  }

  // As `meets`, for any call that all ranks make with the same price; they meet only in calls that synchronise.
  bool meets(bool synchronises, double price_s) {
    if (synchronises) return meets(price_s);
    meetings_.adds(price_s);
    return false;
  }

  // Makes the ranks meet in their next call that synchronises. All ranks must ask in the same call.
  void ask() { is_asked_ = asks_host_ = true; }
  bool is_asked() const { return is_asked_; }
  void ask_for(const Site& site);  // asks if the user's rules name what runs the site

  // Collective, in a call that all ranks enter.
  void meet(CallOutcome& outcome);

  // Lets the ranks decide on calls that never synchronise in meetings of MPI_COMM_WORLD, too (guests.hpp).
  void be_guest();

  // Local: do all ranks belong to this process's MPI_COMM_WORLD? Processes of other worlds (MPI_Comm_spawn, MPI_Comm_connect) may
  // run without the drop-in and would not take part in meetings. Equal on all ranks: if members belong to two worlds, each rank
  // finds members that are not in its own world.
  bool is_of_one_world();

  // By how much a second that is spent here weighs in the account. A program's ranks wait for each other, so what a quarter of the
  // ranks does can delay all; and the other three quarters, on communicators of their own, may do the same at other times.
  double weight() const;

  Exchanger* exchange() const { return exchange_.get(); }

 private:
  MPI_Comm guest() const override { return communicator_; }
  std::uint64_t calls_so_far() const override;
  double worth_ticks() const override;
  void meet_as_guest(MPI_Comm ranks) override;

  void begin();
  void meet_on(MPI_Comm ranks, CallOutcome& outcome);
  bool is_guest_now() const { return on_ != communicator_; }

  // Rank 0: what to do next.
  Step next_step();
  std::optional<Step> told_wishes();
  std::optional<Step> concluded();
  std::optional<Step> demanded();
  std::optional<Step> tuned();
  std::optional<Step> timed();
  std::optional<Step> worthwhile();
  std::optional<Step> hosted();
  std::optional<Step> if_affordable(const Step& step, double cost_s);
  void put_off(Site& site, Cause cause, double trial_s) const;
  std::optional<Step> work_on(const Site& site, int plans) const;
  Step trial_of(const Site& site, double call_s) const;
  // Plans may need messages over the communicator of the meeting, so guests make none.
  bool is_open_here(const Site& site) const { return !is_guest_now() || never_synchronises(site.key.function); }
  double left_s() const;
  double short_call_now_s() const;
  double group_s() const;
  double plans_s(int plans) const;  // with the choice of what to try
  double plan_s() const;

  // All ranks: do it.
  void leave_all();
  void gather_times();
  void gather_slowest();
  void carry_out(const Step& step);
  void host();
  void hear_wishes(const Step& step);
  void time_call();
  void make_group();
  void obey(Site& site);
  void admit(Site& site);
  void take(Site& site, const Step& step);
  void try_in_loop(Site& site, int most_batch);
  void try_again_in_loop(Site& site, int most_batch);
  void try_in_place(Site& site, int most_contenders);
  void conclude(Site& site, const Alternation::Conclusion& conclusion);
  void lose(Site& site, double ratio);
  void settle(Site& site, bool is_faster);
  void tune(Site& site);
  bool is_otherwise_in_library(const Site& site);
  bool make_exchange(Site& site);

  const MPI_Comm communicator_;
  const Rank rank_;
  const Count ranks_;
  Sites& sites_;
  Meetings meetings_;
  MPI_Comm on_;                  // has the same ranks as `communicator_`; the ranks meet on it
  std::uint64_t next_as_guest_;  // how many calls there are when the ranks next have something to decide as guests
  double worth_of_guests_ = 0;   // in ticks, of the communicator's guests; equal on all ranks
  bool is_asked_ = false, asks_host_ = false;
  bool has_synchronised_ = false;  // there was a call that synchronises
  std::optional<bool> is_of_one_world_;
  std::unique_ptr<Communicator> group_;
  std::string no_group_;                  // why there can be no group
  std::shared_ptr<const Wishes> wishes_;  // the user's; equal on all ranks; null: not known yet
  std::unique_ptr<Exchanger> exchange_;
  double wanted_ratio_ = 0;                                      // rank 0: when a step can be paid, times the run's time so far
  std::optional<double> short_call_s_;                           // what a short call takes, once it was timed
  double short_s_ = 0;                                           // rank 0: short_call_now_s() in this step
  double others_spent_s_ = 0;                                    // by how much the account of another rank exceeds this rank's
  std::vector<std::pair<Site*, std::vector<double>>> gathered_;  // rank 0: trials to conclude, and the sums of their times
  std::vector<double> means_;  // rank 0: Alternation::times() of the trial that is concluded, means over the ranks
};

}  // namespace quadrille::mpi_face

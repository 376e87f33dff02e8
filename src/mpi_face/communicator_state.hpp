// SPDX-License-Identifier: BSD-3-Clause
// The drop-in's data for one of the program's communicators: its sites and its group. The group is a quadrille::Communicator of the
// same ranks, made when it is first needed. The delete callback of an attribute deletes the data when the communicator is freed,
// whatever the program's language.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "execute/shared/direct_exchange.hpp"
#include "mpi_face/call.hpp"
#include "mpi_face/census.hpp"
#include "mpi_face/counted_communicator.hpp"
#include "mpi_face/outcome.hpp"
#include "mpi_face/recent_call.hpp"
#include "mpi_face/shape.hpp"
#include "mpi_face/site.hpp"
#include "mpi_face/site_table.hpp"
#include "mpi_face/wishes.hpp"

namespace quadrille::mpi_face {

class CommunicatorState {
 public:
  // Local. Returns null if the MPI library must handle the call: MPI is not initialised or already finalised, or there is no such
  // communicator.
  static CommunicatorState* of(MPI_Comm communicator);

  explicit CommunicatorState(MPI_Comm communicator);

  // Completes pending requests while MPI still works. May wait until other ranks have started the same calls.
  void finish() {
    if (census_) census_->finish();
  }

  int run(const MpiCall& call, VendorCall vendor, CallOutcome& outcome);

  MPI_Comm communicator() const { return communicator_; }
  CountedCommunicator& counted() { return counted_; }

 private:
  int run_alone(const MpiCall& call, VendorCall vendor, CallOutcome& outcome);
  int copy_alone(RecentCall& now, const MpiCall& call, VendorCall vendor, CallOutcome& outcome);
  int run_planned(const MpiCall& call, VendorCall vendor, CallOutcome& outcome);
  RecentCall& recent_of(const MpiCall& call);
  int run_again(RecentCall& recent, const MpiCall& call, VendorCall vendor, CallOutcome& outcome);
  int run_irregular(const MpiCall& call, VendorCall vendor, CallOutcome& outcome);
  int run_and_settle(Site& site, const MpiCall& call, VendorCall vendor, CallOutcome& outcome);
  std::optional<Key> key_of(const MpiCall& call, const Shape& shape) const;
  Site* site_of(const Key& key, const MpiCall& call, const Shape& shape);
  Site* found(const Key& key, const Shape& shape);
  Site* made(const Key& key, std::uint64_t first_event);

  // A trial's result also holds for calls of about the same size: a program that uses a thousand sizes should not pay for a
  // thousand trials.
  struct TrialVerdict {
    Key calls;  // with the largest size of the class
    bool is_faster = false;
    std::optional<Way> way;  // our fastest way, if is_faster
  };

  // A plan that competes with the MPI library's function for a site's calls.
  struct Contender {
    Plan plan;
    std::optional<Way> way;  // absent if the user named the algorithm
    std::string why;
  };

  // admission.cpp
  const TrialVerdict* verdict_on(const Key& key) const;
  void await_settling(Site& site);
  void settle(CallOutcome& outcome);
  void settle_after_call(CallOutcome& outcome);
  std::uint64_t wait_for_late_ranks();
  void settle(Site& site);
  void postpone(Site& site);
  bool is_of_one_world();
  bool has_group();
  bool tune(Site& site);
  void admit(Site& site);
  void try_first(Site& site, std::vector<Contender>& contenders);
  void try_again(Site& site);
  void take(Site& site, Contender& contender);
  void give_up(Site& site, std::string why);

  // planning.cpp
  bool obey(Site& site);
  void make_exchange(Site& site);
  std::vector<Contender> make_contenders(Site& site, const TrialVerdict* known);
  Contender contender(const Site& site, const Problem& problem, const Way& way, std::string why);
  PlanOptions plan_options(const Site& site) const;

  // Running calls by Quadrille.
  int execute(Site& site, const Shape& shape);
  int execute_broadcast(Site& site, const Shape& shape);
  int exchange(const MpiCall& call);
  int pack_blocks(const Side& side, const TypeFacts& facts);
  int failed(const std::exception& error);

  const MPI_Comm communicator_;
  CountedCommunicator counted_;
  Rank rank_ = 0;
  Count ranks_ = 1;
  bool is_inter_ = true;
  SiteTable sites_;
  Site* last_ = nullptr;
  std::uint64_t unknown_calls_ = 0;                     // calls that were not like a recent one
  std::unique_ptr<std::array<RecentCall, 16>> recent_;  // indexed by a hash of function and count
  std::vector<Site*> waiting_;                          // to be settled in the next call that synchronises
  std::vector<TrialVerdict> verdicts_;
  int plans_ = 0;  // number of plans made, for different kinds of calls
  std::unique_ptr<Communicator> group_;
  Wishes wishes_;         // the user's wishes; equal on all ranks
  std::string no_group_;  // why the group could not be made
  std::optional<bool> is_of_one_world_;
  std::unique_ptr<DirectExchange> exchange_;
  std::unique_ptr<Census> census_;         // for alltoallv
  Site* irregular_ = nullptr;              // the site of all alltoallv calls
  std::vector<std::byte> input_, output_;  // canonical buffers, used if the user's buffers are not canonical
  std::vector<DirectExchange::Outgoing> outgoing_;
  std::vector<DirectExchange::Incoming> incoming_;
};

}  // namespace quadrille::mpi_face

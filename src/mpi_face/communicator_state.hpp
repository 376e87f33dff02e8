// SPDX-License-Identifier: BSD-3-Clause
// What the drop-in keeps of a communicator of the program's: its sites, and the group once it is made. It goes with the
// communicator, by a delete callback, in whatever language that is freed.
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
  // Local. Null where the MPI library must answer: MPI is not initialised, or finalised, or there is no such communicator.
  static CommunicatorState* of(MPI_Comm communicator);

  explicit CommunicatorState(MPI_Comm communicator);

  // Completes what was started, while MPI still works. May wait for the other ranks to come as far.
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

  // What a trial said counts for calls of about the same size: a program that uses a thousand sizes is not to pay for a thousand
  // trials.
  struct Verdict {
    Key calls;  // its size is the largest of the class
    bool is_faster = false;
    std::optional<Way> way;  // that is, of ours
  };

  // What could run a site's calls.
  struct Contender {
    Plan plan;
    std::optional<Way> way;  // absent where the user named it
    std::string why;
  };

  // admission.cpp
  const Verdict* verdict_on(const Key& key) const;
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
  std::vector<Contender> make_contenders(Site& site, const Verdict* known);
  Contender contender(const Site& site, const Problem& problem, const Way& way, std::string why);
  PlanOptions plan_options(const Site& site) const;

  // Of ours.
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
  std::uint64_t unknown_calls_ = 0;                     // that were not like a recent one
  std::unique_ptr<std::array<RecentCall, 16>> recent_;  // by function and count
  std::vector<Site*> waiting_;                          // to be settled in the next call that synchronises
  std::vector<Verdict> verdicts_;
  int plans_ = 0;  // made so far, of different calls
  std::unique_ptr<Communicator> group_;
  Wishes wishes_;         // of the group
  std::string no_group_;  // why it could not be made
  std::optional<bool> is_of_one_world_;
  std::unique_ptr<DirectExchange> exchange_;
  std::unique_ptr<Census> census_;         // of alltoallv
  Site* irregular_ = nullptr;              // that of alltoallv
  std::vector<std::byte> input_, output_;  // canonical buffers, where the user's are not
  std::vector<DirectExchange::Outgoing> outgoing_;
  std::vector<DirectExchange::Incoming> incoming_;
};

}  // namespace quadrille::mpi_face

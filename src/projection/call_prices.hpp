// SPDX-License-Identifier: BSD-3-Clause
// What each recorded call costs on the machine, by the vendor's collective and by ours. Calls that pose the same problem are priced
// once.
//
// A schedule is also priced with each of the machine's assumed figures halved and doubled, and the delays between members'
// entries and exits are found. The residuals in the machine's file tell how far prices are off.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "projection/call_problem.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/explain.hpp"
#include "quadrille/model.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/projection.hpp"
#include "quadrille/simulate.hpp"

namespace quadrille::projection {

// The standard deviation of the relative error of predicted times, if the machine's file does not state it.
inline constexpr double usual_residual = 0.2;

// How far the price of a call is off, as ln(real time / price).
struct PriceError {
  double bias = 0;                 // the median; 0 if it was not measured
  double spread = usual_residual;  // standard deviation of what all calls of this kind have in common in a run
  double noise = 0;                // standard deviation from call to call
};

// Returns the residual of the collective by the same implementation, under the same load where both loads were measured. Its
// figures are interpolated between the two nearest sizes of block, linearly in the logarithm of the size. Beyond the measured
// sizes the residual is that of the nearest size. If the collective has none, the residuals of all collectives by the
// implementation are combined; if there are none either, those by the other implementation. If the machine has no residuals, the
// spread is `usual_residual`.
PriceError price_error_of(const MachineCosts& machine, Collective collective, Bytes block_bytes, Implementation by,
                          bool in_succession = false);

// Were residuals of the collective measured for both implementations?
bool were_measured(const MachineCosts& machine, Collective collective);

// Were they measured on ranks that are placed like these? If so, a price times its residual is more accurate than the price.
bool were_measured_on(const MachineCosts& machine, Collective collective, const std::vector<Count>& nodes);

// Computes when the members of a communicator leave a call from the times when they enter it.
class MemberTimes {
 public:
  // Every member leaves `seconds` after the last member has entered.
  explicit MemberTimes(double seconds) : seconds_(seconds) {}
  explicit MemberTimes(ExitDelays delays);

  void exits(std::span<const double> entries, std::span<double> exits) const;

  // How long the member is in the call if all members enter at the same time.
  double alone(std::size_t member) const { return delays_ ? alone_[member] : seconds_; }

 private:
  double seconds_ = 0;
  std::optional<ExitDelays> delays_;
  std::vector<double> alone_;
};

// A figure of the machine that was assumed.
struct AssumedFigure {
  const Model* model;
  std::string key;
};

// Seconds of a call if all members enter together.
struct SchedulePrice {
  double seconds = 0;
  std::vector<double> halved, doubled;  // by figure of MachinePrices::assumed
  Policy policy = Policy::blocking;

  void scale(double factor);
};

class MachinePrices {
 public:
  explicit MachinePrices(const MachineCosts& machine);

  const std::vector<AssumedFigure>& assumed() const { return assumed_; }

  // Our choice for the problem. Throws Error{misuse} if no model of the machine can price it.
  Decision decide(const Problem& problem) const;

  // The price under the best policy. Throws Error{misuse}, Error{too_large}.
  SchedulePrice price(const Problem& problem, const Choice& choice) const;

  // The exit delays of the schedule, scaled so that the largest one is the price.
  MemberTimes times(const Problem& problem, const Choice& choice, const SchedulePrice& price) const;

 private:
  DecisionOptions options_for(const Problem& problem) const;
  ModelChoice model_for(const Problem& problem) const;

  const MachineKnowledge knowledge_;
  std::vector<AssumedFigure> assumed_;
  MessageTimes messages_;
};

inline constexpr std::size_t sides = 2;
template <class Value>
using BySide = std::array<Value, sides>;

struct SidePrice {
  std::string algorithm;  // the algorithm's name: the vendor's, or ours
  Choice choice;          // the algorithm of our table that has its messages
  SchedulePrice price;    // times the bias, as far as it is carried over
  PriceError error;
  std::uint64_t kind = 0;  // prices of one kind are off by the same factor: same algorithm of our table, similar sizes
  MemberTimes times{0};
};

// A problem with its prices, or the reason why its calls are replayed as recorded.
struct PricedProblem {
  BySide<std::shared_ptr<const SidePrice>> by;  // null: the calls take their recorded time
  std::string remark;
  bool is_corrected = false;  // prices are multiplied by residuals
};

// A call of certain sites on a certain communicator, and what the replay adds up for it.
struct PricedCall {
  std::vector<std::uint32_t> sites;  // the members' sites
  std::size_t communicator = 0;
  bool is_early = false;
  const PricedProblem* priced = nullptr;
  std::size_t row = 0;  // of the projection (rows_of)
  Count calls = 0;
  BySide<double> inside_s{};  // time in the call, summed over members, without waits for late ranks
};

class CallPrices {
 public:
  // Throws Error{misuse} if the library whose collectives stand for the vendor's is not known.
  CallPrices(const Recording& recording, const ProjectionOptions& options);

  // The nth call of its kind: of this function, with blocks of this size class, on this communicator. The MPI library executes
  // the first calls of a kind on both sides, unless the options choose an algorithm. Throws Error{misuse} if no model can price
  // the problem.
  PricedCall& of(std::size_t communicator, std::span<const std::uint32_t> sites, Count nth);

  const MachinePrices& machine() const { return machine_; }
  const std::string& vendor() const { return vendor_; }
  const std::deque<PricedCall>& calls() const { return calls_; }
  std::deque<PricedCall>& calls() { return calls_; }
  Count corrected_calls() const;                            // calls whose prices are multiplied by residuals
  Count without_delays() const { return without_delays_; }  // problems in which every rank is assumed to wait for all others
  // Returns why algorithms that the options name do not apply.
  const std::map<Collective, std::string>& not_chosen() const { return not_chosen_; }

  std::vector<Count> nodes_of(std::size_t communicator) const;  // the nodes of the members, numbered from 0

 private:
  const PricedProblem& priced(std::size_t communicator, std::span<const std::uint32_t> sites);
  bool stays_vendors(std::uint32_t site, Count nth) const;
  const PricedProblem& early(const PricedProblem& priced);
  bool is_in_succession(std::uint32_t site) const;
  double carried(const Problem& problem, const CallForm& form) const;
  PricedProblem price(const Problem& problem, const CallForm& form, bool in_succession);
  Result<std::shared_ptr<const SidePrice>> vendor_side(const Problem& problem, const CallForm& form, bool in_succession);
  std::shared_ptr<const SidePrice> side(const Problem& problem, const CallForm& form, bool in_succession, const Choice& choice,
                                        std::string name, Implementation by);
  std::optional<Choice> chosen(const Problem& problem);

  const Recording& recording_;
  const ProjectionOptions& options_;
  const std::string vendor_;
  const MachinePrices machine_;
  const std::vector<RecordedTimes> times_;  // sums by site
  std::deque<PricedCall> calls_;
  std::unordered_map<std::uint64_t, std::vector<PricedCall*>> by_sites_;
  std::map<std::string, PricedProblem> problems_;
  std::map<const PricedProblem*, PricedProblem> early_;  // the same problems, by the MPI library on both sides
  std::map<Collective, std::string> not_chosen_;
  std::size_t delays_ = 0;  // how many delays are kept
  Count without_delays_ = 0;
};

}  // namespace quadrille::projection

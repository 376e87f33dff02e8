// SPDX-License-Identifier: BSD-3-Clause
#include "projection/call_prices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "foundation/assert.hpp"
#include "foundation/hash.hpp"
#include "foundation/text/wording.hpp"
#include "problem/node_ranks.hpp"
#include "projection/call_problem.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/simulate.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/vendor_choice.hpp"
#include "quadrille/wisdom.hpp"
#include "recording/totals.hpp"
#include "tune/choosing/decide.hpp"

namespace quadrille::projection {
namespace {

PriceError error_of(const Residual& residual) { return {std::log(residual.ratio), residual.spread, residual.noise}; }

double logarithm(Bytes bytes) { return std::log2(static_cast<double>(std::max<Bytes>(bytes, 1))); }

PriceError between(const Residual& below, const Residual& above, Bytes block_bytes) {
  const PriceError low = error_of(below), high = error_of(above);
  const double range = logarithm(above.block_bytes) - logarithm(below.block_bytes);
  const double part = range > 0 ? (logarithm(block_bytes) - logarithm(below.block_bytes)) / range : 0;
  return {std::lerp(low.bias, high.bias, part), std::lerp(low.spread, high.spread, part), std::lerp(low.noise, high.noise, part)};
}

// The bias is the mean of the biases. The more the biases differ, the larger is the spread.
PriceError together(const std::vector<PriceError>& errors) {
  QUADRILLE_ASSERT(!errors.empty());
  const auto mean_of = [&](auto value_of) {
    double sum = 0;
    for (const PriceError& each : errors) sum += value_of(each);
    return sum / static_cast<double>(size(errors));
  };
  const double bias = mean_of([](const PriceError& each) { return each.bias; });
  const double variance =
      mean_of([&](const PriceError& each) { return each.spread * each.spread + (each.bias - bias) * (each.bias - bias); });
  return {bias, std::sqrt(variance), mean_of([](const PriceError& each) { return each.noise; })};
}

constexpr Count most_messages = Count{1} << 22;  // the limit in the simulations that find the delays of one schedule

// Figures of a message for the simulation by events. Only their proportions matter, because delays are scaled to the price.
MessageTimes message_times_of(const MachineCosts& machine) {
  for (const char* const id : {"loggp", "linear", "flat"})
    if (const Model* const model = find_model(id); machine.models.contains(id)) return message_times(*model, machine);
  const auto own = machine.models.find("max-rate");
  if (own == machine.models.end())
    throw Error(ErrorCode::misuse, "the machine " + machine.name + " has figures neither for max-rate nor for single messages");
  const double startup_us = own->second.at("startup_us");
  return message_times(*find_model("loggp"), Coefficients{{"latency_us", startup_us / 2},
                                                          {"overhead_us", startup_us / 4},
                                                          {"gap_us", startup_us / 4},
                                                          {"gap_us_per_byte", own->second.at("us_per_byte")},
                                                          {"ports", 1}});
}

// The drop-in chooses an algorithm for a kind of calls at the earliest in the fourth synchronising call on the communicator.
constexpr Count early_calls = 3;
// How much of a bias is carried over to ranks that are placed in another way than those on which it was measured. They may share
// all of it or none, so the part that is not carried over counts as spread.
constexpr double carried_elsewhere = 0.5;
constexpr double short_gap_s = 50e-6;                      // after a shorter gap, calls find ranks as the call before has left them
constexpr std::size_t most_delays = std::size_t{1} << 26;  // how many delays are kept, for all problems together

// The prices of sizes in one class are off by the same factor. The classes are about those that calibrate measures.
std::uint64_t size_class_of(Bytes block_bytes) { return static_cast<std::uint64_t>((logarithm(block_bytes) + 2) / 5); }

std::string library_of(const Recording& recording, const ProjectionOptions& options) {
  std::vector<std::string> ids;
  for (const VendorLibrary& each : all_vendor_libraries()) ids.emplace_back(each.id);
  if (!options.vendor.empty()) {
    if (!find_vendor_library(options.vendor))
      throw Error(ErrorCode::misuse,
                  fmt::format("the rules of an MPI library '{}' are not known; name {}", options.vendor, alternatives(ids)));
    return options.vendor;
  }
  const auto recorded = vendor_library_of(recording.mpi);
  if (!recorded)
    throw Error(ErrorCode::misuse,
                fmt::format("the recorded library '{}' has no known rules; name one whose rules it may share: {}", recording.mpi,
                            alternatives(ids)));
  return std::string(recorded->id);
}

// Replaces a long text by two hashes, because there may be very many long texts.
std::string shortened_key(std::string text) {
  constexpr std::size_t most = 256;
  return text.size() <= most ? text : fmt::format("{:x} {:x}", words_hash(text), text_hash(text));
}

// A text that is equal for equal problems.
std::string key_of(const Problem& problem) {
  std::string key = fmt::format("{} {} {} {} {} {} {} ", static_cast<int>(problem.collective), problem.ranks, problem.block_bytes,
                                problem.root, problem.element_bytes, problem.commutative, fmt::join(problem.nodes, ","));
  if (problem.counts) key.append(reinterpret_cast<const char*>(problem.counts->data()), problem.counts->size() * sizeof(Bytes));
  if (problem.sparse_counts)
    for (Rank rank = 0; rank < problem.ranks; ++rank)
      for (const Share& share : problem.sparse_counts->row(rank)) key += fmt::format("{},{},{};", rank, share.peer, share.bytes);
  return key;
}

}  // namespace

PriceError price_error_of(const MachineCosts& machine, Collective collective, Bytes block_bytes, Implementation by,
                          bool in_succession) {
  if (machine.residuals.empty()) return {};
  const Residual *below = nullptr, *above = nullptr;  // residuals of the nearest sizes
  std::vector<PriceError> of_side, all;
  for (const Residual& each : machine.residuals) {
    all.push_back(error_of(each));
    if (each.by != by) continue;
    of_side.push_back(error_of(each));
    if (each.collective != collective) continue;
    const bool is_replaced = each.in_succession != in_succession &&
                             std::any_of(machine.residuals.begin(), machine.residuals.end(), [&](const Residual& other) {
                               return other.by == by && other.collective == collective && other.block_bytes == each.block_bytes &&
                                      other.in_succession == in_succession;
                             });
    if (is_replaced) continue;
    if (each.block_bytes <= block_bytes && (!below || each.block_bytes > below->block_bytes)) below = &each;
    if (each.block_bytes >= block_bytes && (!above || each.block_bytes < above->block_bytes)) above = &each;
  }
  if (!below && !above) return together(of_side.empty() ? all : of_side);
  return between(*(below ? below : above), *(above ? above : below), block_bytes);
}

bool were_measured(const MachineCosts& machine, Collective collective) {
  const auto has = [&](Implementation by) {
    return std::any_of(machine.residuals.begin(), machine.residuals.end(),
                       [&](const Residual& each) { return each.collective == collective && each.by == by; });
  };
  return has(Implementation::vendor) && has(Implementation::ours);
}

bool were_measured_on(const MachineCosts& machine, Collective collective, const std::vector<Count>& nodes) {
  return !machine.residual_node_sizes.empty() && were_measured(machine, collective) && std::is_sorted(nodes.begin(), nodes.end()) &&
         NodeRanks(nodes).sizes() == machine.residual_node_sizes;
}

MemberTimes::MemberTimes(ExitDelays delays) : seconds_(delays.together()), delays_(std::move(delays)) {
  const std::vector<double> entries(index(delays_->ranks()), 0);
  alone_.resize(entries.size());
  delays_->exits(entries, alone_);
}

void MemberTimes::exits(std::span<const double> entries, std::span<double> exits) const {
  QUADRILLE_ASSERT(entries.size() == exits.size() && (!delays_ || entries.size() == alone_.size()));
  if (delays_) return delays_->exits(entries, exits);
  std::fill(exits.begin(), exits.end(), *std::max_element(entries.begin(), entries.end()) + seconds_);
}

void SchedulePrice::scale(double factor) {
  QUADRILLE_ASSERT(std::isfinite(factor) && factor > 0);
  seconds *= factor;
  for (double& each : halved) each *= factor;
  for (double& each : doubled) each *= factor;
}

MachinePrices::MachinePrices(const MachineCosts& machine)
    : knowledge_{.wisdom = {}, .file = {}, .preset = machine}, messages_(message_times_of(machine)) {
  for (const auto& [id, rules] : machine.assumed) {
    const Model* const model = find_model(id);
    for (const auto& rule : rules) {
      const auto& key = rule.first;  // no structured binding, because clang 14 captures none
      const auto row = std::find_if(model->coefficients.begin(), model->coefficients.end(),
                                    [&](const Coefficient& each) { return each.key == key; });
      if (row != model->coefficients.end() && !row->is_whole) assumed_.push_back({model, key});
    }
  }
}

DecisionOptions MachinePrices::options_for(const Problem& problem) const {
  DecisionOptions options = knowledge_.options_for(problem);
  options.own_counts_only = problem.collective == Collective::alltoallv;  // a rank of the program knows no other counts
  return options;
}

ModelChoice MachinePrices::model_for(const Problem& problem) const {
  auto model = model_of_preset(problem, options_for(problem));
  if (!model) throw Error(ErrorCode::misuse, model.error());
  return *std::move(model);
}

Decision MachinePrices::decide(const Problem& problem) const {
  model_for(problem);
  return quadrille::decide(problem, knowledge_.wisdom, options_for(problem));
}

SchedulePrice MachinePrices::price(const Problem& problem, const Choice& choice) const {
  if (takes_too_long(problem, choice, true))
    throw Error(ErrorCode::too_large, "it states no symmetry, so pricing it would take too long");
  const Model& model = *model_for(problem).model;
  const Schedule schedule = make_schedule(problem, choice);
  const Workload counted = model.needs_work ? workload(schedule, {.work = true}) : workload_for(model, schedule);
  Coefficients figures = coefficients_of(*knowledge_.preset, model);
  const Price whole = price_of(counted, model, figures);
  SchedulePrice price{.policy = whole.best_policy()};
  price.seconds = whole.seconds(price.policy);
  QUADRILLE_ASSERT(std::isfinite(price.seconds) && price.seconds >= 0);
  for (const AssumedFigure& figure : assumed_) {
    const auto with = [&](double factor) {
      const auto entry = figures.find(figure.key);
      if (figure.model != &model || entry == figures.end()) return price.seconds;
      const double own = std::exchange(entry->second, entry->second * factor);
      const double seconds = price_of(counted, model, figures).seconds(price.policy);
      entry->second = own;
      return seconds;
    };
    price.halved.push_back(with(0.5));
    price.doubled.push_back(with(2));
  }
  return price;
}

MemberTimes MachinePrices::times(const Problem& problem, const Choice& choice, const SchedulePrice& price) const {
  const ExitDelays delays =
      exit_delays(make_schedule(problem, choice), messages_, {.policy = price.policy, .most_messages = most_messages});
  if (!(delays.together() > 0)) return MemberTimes(price.seconds);
  return MemberTimes(delays.scaled(price.seconds / delays.together()));
}

CallPrices::CallPrices(const Recording& recording, const ProjectionOptions& options)
    : recording_(recording),
      options_(options),
      vendor_(library_of(recording, options)),
      machine_(options.machine),
      times_(recording::times_by_site(recording)) {}

std::vector<Count> CallPrices::nodes_of(std::size_t communicator) const {
  std::map<Count, Count> numbers;
  std::vector<Count> nodes;
  for (const Rank member : recording_.communicators[communicator].members) {
    if (member < 0) continue;  // a process of another MPI_COMM_WORLD
    const Count node = options_.nodes.empty() ? 0 : options_.nodes[index(member)];
    nodes.push_back(numbers.try_emplace(node, static_cast<Count>(numbers.size())).first->second);
  }
  return nodes;
}

bool CallPrices::stays_vendors(std::uint32_t site, Count nth) const {
  if (nth > early_calls) return false;
  const auto form = form_of(recording_.sites[site].function);
  return form && !options_.chosen.contains(form->collective);
}

PricedCall& CallPrices::of(std::size_t communicator, std::span<const std::uint32_t> sites, Count nth) {
  QUADRILLE_ASSERT(sites.size() == recording_.communicators[communicator].members.size());
  const bool is_early = stays_vendors(sites.front(), nth);
  std::uint64_t hash = hash_with(is_early ? 1 : 0, communicator);
  for (const std::uint32_t site : sites) hash = hash_with(hash, site);
  std::vector<PricedCall*>& alike = by_sites_[hash];
  for (PricedCall* const call : alike)
    if (call->communicator == communicator && call->is_early == is_early &&
        std::equal(sites.begin(), sites.end(), call->sites.begin()))
      return *call;
  PricedCall& call = calls_.emplace_back();
  call.sites.assign(sites.begin(), sites.end());
  call.communicator = communicator;
  call.is_early = is_early;
  call.priced = &priced(communicator, sites);
  if (is_early) call.priced = &early(*call.priced);
  alike.push_back(&call);
  return call;
}

const PricedProblem& CallPrices::early(const PricedProblem& priced) {
  const auto [entry, is_new] = early_.try_emplace(&priced, priced);
  if (is_new) entry->second.by[1] = entry->second.by[0];
  return entry->second;
}

const PricedProblem& CallPrices::priced(std::size_t communicator, std::span<const std::uint32_t> sites) {
  const Result<Problem> problem = problem_of_call(recording_, sites, nodes_of(communicator));
  if (!problem) {
    const auto [entry, is_new] = problems_.try_emplace(problem.error());
    if (is_new) entry->second.remark = problem.error();
    return entry->second;
  }
  const CallForm form = *form_of(recording_.sites[sites.front()].function);
  const bool in_succession = is_in_succession(sites.front());
  const std::string key =
      shortened_key(fmt::format("{}{}{} ", form.is_of_neighbours, form.is_nonblocking, in_succession) + key_of(*problem));
  const auto known = problems_.find(key);
  return known != problems_.end() ? known->second : problems_.emplace(key, price(*problem, form, in_succession)).first->second;
}

bool CallPrices::is_in_succession(std::uint32_t site) const {
  const RecordedTimes& times = times_[site];
  return times.gap_s + times.away_s < short_gap_s * static_cast<double>(times.calls);
}

// Returns how much of the bias is carried over to the call. No residuals were measured for nonblocking calls and calls among
// neighbours.
double CallPrices::carried(const Problem& problem, const CallForm& form) const {
  const MachineCosts& machine = options_.machine;
  if (form.is_nonblocking || form.is_of_neighbours || !were_measured(machine, problem.collective)) return 0;
  return were_measured_on(machine, problem.collective, problem.nodes) ? 1 : carried_elsewhere;
}

Count CallPrices::corrected_calls() const {
  Count sum = 0;
  for (const PricedCall& call : calls_)
    if (call.priced->is_corrected) sum += call.calls;
  return sum;
}

PricedProblem CallPrices::price(const Problem& problem, const CallForm& form, bool in_succession) {
  PricedProblem priced{.by = {}, .remark = {}, .is_corrected = !options_.without_correction && carried(problem, form) == 1};
  const auto vendor = vendor_side(problem, form, in_succession);
  const std::optional<Choice> wished = form.is_nonblocking ? std::nullopt : chosen(problem);
  std::shared_ptr<const SidePrice> own;
  if (!wished || !vendor) {
    const Decision decision = machine_.decide(problem);
    const Choice& choice = std::get<Choice>(decision.chosen.algorithm);
    own = side(problem, form, in_succession, choice, short_name(problem, Candidate(choice)), Implementation::ours);
  }
  priced.by[1] =
      wished ? side(problem, form, in_succession, *wished, short_name(problem, Candidate(*wished)), Implementation::ours) : own;
  priced.by[0] = vendor ? *vendor : own;
  if (!vendor) priced.remark = vendor.error();
  if (std::max(priced.by[0]->price.seconds, priced.by[1]->price.seconds) <= 0) priced.is_corrected = false;
  return priced;
}

Result<std::shared_ptr<const SidePrice>> CallPrices::vendor_side(const Problem& problem, const CallForm& form, bool in_succession) {
  if (form.is_nonblocking)
    return cannot("nonblocking and persistent calls stay the MPI library's, whose algorithms for them are not known");
  if (form.is_of_neighbours) return cannot("the library's algorithms among neighbours are not known");
  try {
    const auto algorithm = vendor_algorithm(vendor_, problem);
    if (!algorithm) return cannot(algorithm.error());
    const auto equivalent = vendor_equivalent(vendor_, problem, *algorithm);
    if (!equivalent) return cannot(fmt::format("the library takes {}; {}", *algorithm, equivalent.error()));
    return side(problem, form, in_succession, *equivalent, *algorithm, Implementation::vendor);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::too_large) throw;
    return cannot(error.what());
  }
}

std::optional<Choice> CallPrices::chosen(const Problem& problem) {
  const auto wish = options_.chosen.find(problem.collective);
  if (wish == options_.chosen.end()) return std::nullopt;
  try {
    const Choice choice = parse_choice(problem, wish->second);
    const auto can = applies(problem, choice);
    if (can) return choice;
    not_chosen_.try_emplace(problem.collective, can.error());
  } catch (const Error& error) {  // a parameter value that is not allowed for these ranks
    if (!find_algorithm(problem.collective, wish->second.substr(0, wish->second.find(':')))) throw;
    not_chosen_.try_emplace(problem.collective, error.what());
  }
  return std::nullopt;
}

std::shared_ptr<const SidePrice> CallPrices::side(const Problem& problem, const CallForm& form, bool in_succession,
                                                  const Choice& choice, std::string name, Implementation by) {
  const Bytes block_bytes = situation_of(problem).block_bytes;
  PriceError error;
  SchedulePrice price = machine_.price(problem, choice);
  if (!options_.without_correction && !options_.machine.residuals.empty()) {
    error = price_error_of(options_.machine, problem.collective, block_bytes, by, in_succession);
    const double part = carried(problem, form);
    price.scale(std::exp(part * error.bias));
    error.spread = std::hypot(error.spread, (1 - part) * error.bias);
  }
  auto priced = std::make_shared<SidePrice>(SidePrice{std::move(name), choice, std::move(price), error});
  priced->kind =
      hash_with(text_hash(fmt::format("{} {}", quadrille::name(problem.collective), short_name(problem, Candidate(choice)))),
                size_class_of(block_bytes));
  const auto numbers = index(problem.ranks) * index(problem.ranks);
  if (delays_ + numbers <= most_delays) {
    delays_ += numbers;
    priced->times = machine_.times(problem, choice, priced->price);
  } else {
    priced->times = MemberTimes(priced->price.seconds);
    ++without_delays_;
  }
  return priced;
}

}  // namespace quadrille::projection

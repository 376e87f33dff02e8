// SPDX-License-Identifier: BSD-3-Clause
// Which candidate is the cheapest, by size of block.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "quadrille/candidate.hpp"
#include "quadrille/error.hpp"
#include "tune/explain/find_flips.hpp"

namespace quadrille {
namespace {

// limit for all candidates' messages at one size: the search prices about fifty sizes
constexpr Count most_messages = 500'000;

// Returns the same choice for another problem; nothing if a parameter's value is not allowed there or the algorithm does not apply.
std::optional<Choice> choice_for(const Problem& problem, const Choice& unusual) {
  try {
    Choice choice = completed(problem, unusual);
    if (applies(problem, choice)) return choice;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::misuse) throw;
  }
  return std::nullopt;
}

class CheapestFinder {
 public:
  CheapestFinder(const Problem& problem, const std::vector<Choice>& candidates, const Model& model, const MachineCosts& machine,
                 const CheapestOptions& options)
      : problem_(problem), model_(model), machine_(machine), options_(options) {
    if (candidates.empty()) throw Error(ErrorCode::misuse, "there are no candidates to compare; name one at least");
    for (const Choice& choice : candidates) {
      if (choice.algorithm && choice.algorithm->collective != problem.collective)
        throw Error(ErrorCode::misuse, fmt::format("{}/{} is no algorithm for {}", name(choice.algorithm->collective),
                                                   choice.algorithm->id, name(problem.collective)));
      const Choice unusual = shortened(problem, completed(problem, choice));
      candidates_.push_back({specification(unusual), unusual});
    }
  }

  Flips run() {
    if (!has_other_blocks(problem_, options_.at_block)) return {.note = why_no_other_blocks(problem_)};
    try {
      const Count messages = options_.messages > 0 ? options_.messages : counted_messages();
      if (messages > most_messages)
        return {
            .note = fmt::format(
                "the fastest at other sizes is not searched, because each size has {} messages; name fewer candidates", messages)};
      return found();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::too_large) throw;
      return {.note = error.what()};  // a size up to the largest block failed
    }
  }

 private:
  struct Rival {
    std::string name;
    Choice unusual;  // the parameters that differ from their defaults
  };

  Workload counted(const Problem& problem, const Choice& choice) const {
    return workload_for(model_, make_schedule(problem, choice), options_.topology ? &*options_.topology : nullptr);
  }

  Count counted_messages() const {
    Count messages = 0;
    for (const Rival& each : candidates_)
      if (const auto choice = choice_for(problem_, each.unusual)) messages += counted(problem_, *choice).messages_counted;
    return messages;
  }

  // Returns the name of the cheapest candidate; empty if none applies.
  std::string cheapest_at(Count elements) const {
    const Bytes block_bytes = elements * problem_.element_bytes;
    if (options_.progress) options_.progress(block_bytes);
    const Problem problem = with_block(problem_, block_bytes, options_.at_block);
    using Order = std::pair<double, Count>;  // seconds, ports
    std::optional<Order> least;
    std::string name;
    for (const Rival& each : candidates_) {
      const auto choice = choice_for(problem, each.unusual);
      if (!choice) continue;
      const Workload work = counted(problem, *choice);
      const Price price = price_of(work, model_, machine_);
      const Order order{price.seconds(price.best_policy()), work.ports};
      if (least && *least <= order) continue;
      least = order;
      name = each.name;
    }
    return name;
  }

  Flips found() {
    std::vector<Flip> at_powers;
    std::set<std::string> winners;
    for (const Count elements : powers_of_elements(problem_.element_bytes)) {
      at_powers.push_back({elements, cheapest_at(elements)});
      winners.insert(at_powers.back().way);
    }
    if (winners == std::set<std::string>{""}) return {.note = "none of the candidates applies"};
    Flips flips{.list = {at_powers[0]}, .upto = at_powers.back().from * problem_.element_bytes};
    std::erase_if(candidates_, [&](const Rival& each) { return !winners.contains(each.name); });
    const auto is_next = [](Count from, Count to) { return to - from == 1; };
    const auto way_at = [&](Count elements) { return cheapest_at(elements); };
    for (std::size_t i = 1; i < at_powers.size(); ++i) find_changes(at_powers[i - 1], at_powers[i], way_at, is_next, flips.list);
    for (Flip& flip : flips.list) flip.from *= problem_.element_bytes;
    return flips;
  }

  const Problem& problem_;
  const Model& model_;
  const MachineCosts& machine_;
  const CheapestOptions& options_;
  std::vector<Rival> candidates_;
};

}  // namespace

Flips cheapest_by_block(const Problem& problem, const std::vector<Choice>& candidates, const Model& model,
                        const MachineCosts& machine, const CheapestOptions& options) {
  check(problem);
  coefficients_of(machine, model);  // throws if there are none
  return CheapestFinder(problem, candidates, model, machine, options).run();
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Decides how to solve a problem (decision.hpp): determines the candidates that are worth pricing, and takes the fastest measured
// way, otherwise the cheapest predicted one.
#include "tune/choosing/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "collectives/table.hpp"
#include "foundation/text/wording.hpp"
#include "plan/way.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr std::size_t most_choices = 64;  // the limit of choices of one algorithm

// Returns all combinations of parameter values of one algorithm. Only values that are worth trying are combined.
std::vector<Choice> combinations(const Problem& problem, const Algorithm& algorithm) {
  std::vector<Choice> all{{.algorithm = &algorithm, .parameters = {}}};
  for (const Parameter& parameter : algorithm.parameters) {
    if (!parameter.worth_trying) continue;
    std::vector<Choice> longer;
    for (const Choice& choice : all) {
      const Choice before = completed(problem, choice);
      for (const ParameterValue& value : parameter.worth_trying(problem, before.parameters)) {
        if (longer.size() == most_choices) break;
        Choice& with = longer.emplace_back(choice);
        with.parameters[std::string(parameter.name)] = value;
      }
    }
    all = std::move(longer);
  }
  for (Choice& choice : all) choice = completed(problem, std::move(choice));
  return all;
}

bool runs_with_own_counts(const Problem& problem, const Choice& choice) {
  const Algorithm& algorithm = *choice.algorithm;
  return algorithm.needs_own_counts_only || (algorithm.incremental && algorithm.incremental(problem, choice.parameters, 0));
}

// Keeps the choices on the Pareto front. A choice is dropped if another one has at most as many rounds, start-ups, bytes, and
// stages before which blocks are rearranged. Of choices with equal figures the first one is kept.
void keep_pareto_front(const Problem& problem, std::vector<Choice>& choices) {
  if (choices.size() < 2 || !choices.front().algorithm->symmetry) return;
  struct Cost {
    std::array<Count, 4> figures;
    bool is_beaten_by(const Cost& other) const {
      for (std::size_t i = 0; i < figures.size(); ++i)
        if (other.figures[i] > figures[i]) return false;
      return true;
    }
  };
  std::vector<Choice> front;
  std::vector<Cost> costs;
  for (Choice& choice : choices) {
    const Schedule schedule = make_schedule(problem, choice);
    const Figures counted = figures(schedule);
    const std::vector<StageFigures> stages = workload(schedule).stages;
    const auto in_pieces = std::count_if(stages.begin(), stages.end(), [](const StageFigures& stage) { return stage.in_pieces; });
    const Cost cost{{counted.c1, counted.startups, counted.c2, in_pieces}};
    if (std::any_of(costs.begin(), costs.end(), [&](const Cost& other) { return cost.is_beaten_by(other); })) continue;
    for (std::size_t i = front.size(); i-- > 0;)
      if (costs[i].is_beaten_by(cost)) {
        front.erase(front.begin() + static_cast<std::ptrdiff_t>(i));
        costs.erase(costs.begin() + static_cast<std::ptrdiff_t>(i));
      }
    front.push_back(std::move(choice));
    costs.push_back(cost);
  }
  choices = std::move(front);
}

// If the program of a rank depends on the counts of all ranks, the time of pricing grows with the square of their number.
Rank most_ranks_without_symmetry(const Algorithm& algorithm, bool explains) {
  if (!explains) return 128;
  return algorithm.collective == Collective::alltoallv && !algorithm.needs_own_counts_only ? 256 : 1024;
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
}

std::string on_nodes(const Situation& situation) {
  return situation.nodes == 1 ? std::string() : fmt::format(" on {} nodes", situation.nodes);
}

// Returns true for the MPI library's collective with the algorithm that the library chooses itself. Plans cannot use its other
// algorithms: they are forced by settings that take effect only before MPI_Init.
bool is_librarys_choice(const Way& way) { return way.algorithm == Candidate(Vendor{}); }

class Deciding {
 public:
  Deciding(const Problem& problem, const Wisdom& wisdom, const DecisionOptions& options)
      : problem_(problem), wisdom_(wisdom), options_(options) {
    decision_.situation = options.situation ? *options.situation : situation_of(problem);
  }

  Decision run() && {
    take_measured();
    const bool is_measured = !decision_.considered.empty();
    if (!is_measured && options_.effort == Effort::wisdom_only)
      throw Error(
          ErrorCode::misuse,
          fmt::format("there is no wisdom for {} of {} B among {}{}; run 'quadrille tune {}', or choose with another effort",
                      name(problem_.collective), decision_.situation.block_bytes, counted(problem_.ranks, "rank"),
                      on_nodes(decision_.situation), name(problem_.collective)));
    if (!is_measured || options_.explain) take_priced();
    std::stable_sort(decision_.considered.begin(), decision_.considered.end(),
                     [&](const Considered& a, const Considered& b) { return key(a) < key(b); });
    conclude();
    return std::move(decision_);
  }

 private:
  using Key = std::tuple<double, double, bool>;

  // Sort key: measured ways come first, then predicted ones, then the others. Of ways with equal times, baselines come last.
  // Policies with equal predictions keep their order.
  Key key(const Considered& considered) const {
    constexpr double unknown = std::numeric_limits<double>::infinity();
    return {considered.measured ? considered.measured->median_s : unknown, considered.predicted_s.value_or(unknown),
            runs_baseline(considered.way)};
  }

  bool is_available(const Way& way) const {
    if (way.is_vendor()) return options_.with_vendor && is_librarys_choice(way);
    if (std::find(options_.executors.begin(), options_.executors.end(), way.executor) == options_.executors.end()) return false;
    const auto* choice = std::get_if<Choice>(&way.algorithm);
    return choice && (!options_.own_counts_only || runs_with_own_counts(problem_, *choice));
  }

  // Returns the record of the situation. If there is none, returns that of a situation whose irregularity is half or twice as
  // large.
  const WisdomRecord* find_record(Situation situation) const {
    const Count own = situation.irregularity;
    for (const Count irregularity : {own, own / 2, 2 * own}) {
      if (irregularity == 0 || (irregularity != own && !is_irregular(situation.collective))) continue;
      situation.irregularity = irregularity;
      if (const WisdomRecord* record = wisdom_.find(situation)) return record;
    }
    return nullptr;
  }

  void take_measured() {
    const WisdomRecord* record = find_record(decision_.situation);
    // If there is no record, use one that was measured with counts known to all ranks. is_available()
    // leaves out the ways that need to know all counts.
    if (!record && !decision_.situation.counts_known) {
      Situation known = decision_.situation;
      known.counts_known = true;
      record = find_record(known);
    }
    if (!record) return;
    date_ = record->date, launches_ = record->races.size();
    for (const WisdomEntry& entry : record->entries)
      if (const auto way = way_for(problem_, entry.way); way && is_available(*way))
        decision_.considered.push_back({.way = *way, .measured = entry.timing});
  }

  Considered& entry_for(const Way& way) {
    const auto known = std::find_if(decision_.considered.begin(), decision_.considered.end(),
                                    [&](const Considered& each) { return each.way == way; });
    return known != decision_.considered.end() ? *known : decision_.considered.emplace_back(Considered{.way = way});
  }

  // How the ways of one executor are priced: by a fit; by a model of the preset machine, which does not distinguish executors; or
  // not at all.
  struct Pricing {
    std::optional<ExecutorFit> fit;
    const Model* model = nullptr;
    std::string missing;  // why there is no price
  };

  // Returns the pricing of each executor, in the order of the options.
  std::vector<Pricing> pricings() {
    std::vector<Pricing> all;
    for (const Executor executor : options_.executors) {
      Pricing& pricing = all.emplace_back();
      if (const ExecutorFit* known = wisdom_.find_fit(executor, decision_.situation)) {
        pricing.fit = *known;
        decision_.prediction_error = std::max(decision_.prediction_error, known->error);
        if (!decision_.model.model) decision_.model = {find_model("max-rate"), "its figures were measured here"};
      } else if (!options_.preset) {
        pricing.missing = "no times are known for this executor";
      } else if (const auto chosen = model_of_preset(problem_, options_); !chosen) {
        pricing.missing = chosen.error();
      } else {
        if (chosen->model->needs_work)
          pricing.fit = preset_fit(*options_.preset, executor, decision_.situation, options_.cores);
        else
          pricing.model = chosen->model;
        decision_.preset = options_.preset->name;
        decision_.is_exact = options_.preset->is_exact;
        decision_.model = *chosen;
      }
    }
    return all;
  }

  // The price of a schedule by an executor. `counted` keeps the schedule's work, so that it is counted only once for all
  // executors with a fit.
  Price price_of_way(const Pricing& pricing, const Schedule& schedule, std::optional<Workload>& counted) const {
    if (!pricing.model) {
      if (!counted) counted = workload(schedule, {.work = true});
      return price_by(*pricing.fit, *counted);
    }
    const Topology* const topology = options_.topology ? &*options_.topology : nullptr;
    return price_of(workload_for(*pricing.model, schedule, topology), *pricing.model, *options_.preset);
  }

  // Returns the most messages of a rank in a round; 0 if this number does not matter.
  static Count ports_of(const Schedule& schedule, Count most) {
    if (most == std::numeric_limits<Count>::max()) return 0;
    return schedule.port_limit ? *schedule.port_limit : figures(schedule).ports;
  }

  // How many messages a rank of the machine can send, or receive, at a time. Only a document's model of single messages limits
  // this number. On other machines a round with more messages takes longer, so prices decide.
  Count most_ports() const {
    const Model* const model = decision_.model.model;
    if (!decision_.is_exact || !model->times_of_message) return std::numeric_limits<Count>::max();
    return message_times(*model, *options_.preset).ports;
  }

  void take_priced() {
    const std::vector<Pricing> known = pricings();
    const Count ports = most_ports();
    for (const Choice& choice : choices_worth_trying(problem_, options_.own_counts_only, ports)) {
      std::optional<Workload> counted;
      std::vector<std::optional<Price>> prices(known.size());
      std::string reason;
      try {
        if (takes_too_long(problem_, choice, options_.explain)) {
          reason = "it states no symmetry, so pricing it would take too long";
        } else {
          const Schedule schedule = make_schedule(problem_, choice);
          if (const Count needed = ports_of(schedule, ports); needed > ports)
            reason = fmt::format("it needs {}; the machine has {}", quadrille::counted(needed, "port"),
                                 quadrille::counted(ports, "port"));
          for (std::size_t i = 0; reason.empty() && i < known.size(); ++i)
            if (known[i].missing.empty()) prices[i] = price_of_way(known[i], schedule, counted);
        }
      } catch (const Error& error) {  // the schedule is too large
        reason = error.what();
      }
      for (std::size_t i = 0; i < known.size(); ++i) {
        const std::optional<Price>& price = prices[i];
        for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow}) {
          Considered& entry = entry_for({.algorithm = choice, .policy = policy, .executor = options_.executors[i]});
          entry.rejected = known[i].missing.empty() ? reason : known[i].missing;
          if (price) entry.predicted_s = price->seconds(policy);
          if (options_.explain) entry.price = price;
        }
      }
    }
    if (!options_.with_vendor) return;
    Considered& entry = entry_for({.algorithm = Vendor{}, .executor = Executor::mpi});
    if (const VendorFit* fit = wisdom_.find_vendor(decision_.situation))
      entry.predicted_s = seconds_by(*fit, decision_.situation.block_bytes);
    else if (!entry.measured)
      entry.rejected = "its times are not known here; 'quadrille tune' measures them";
  }

  bool between_nodes() const { return decision_.situation.nodes > 1; }
  double about_the_same() const { return between_nodes() ? 1.1 : 1.2; }  // the largest ratio to the least predicted time

  // The figures of a preset machine have no time of a round, unless a document's model defines them. But each round that waits
  // for the previous round takes at least the latency of the network, or of ranks that share cores. So of the ways that cost
  // about the same by such figures, this takes the one with the fewest rounds; on several nodes, with the fewest rounds between
  // nodes. Returns false if that is the cheapest way.
  bool take_fewest_rounds() {
    auto& all = decision_.considered;
    if (decision_.preset.empty() || decision_.is_exact || all[0].measured) return false;
    std::vector<std::pair<const Candidate*, Count>> rounds;
    const auto rounds_of = [&](const Considered& considered) {
      const Candidate& algorithm = considered.way.algorithm;
      for (const auto& [known, count] : rounds)
        if (*known == algorithm) return count;
      const Schedule schedule = make_schedule(problem_, algorithm);
      const Count count = between_nodes() ? node_figures(schedule).rounds : figures(schedule).c1;
      return rounds.emplace_back(&algorithm, count).second;
    };
    auto fewest = all.begin();
    const double most_s = about_the_same() * all[0].predicted_s.value_or(0);
    for (auto each = all.begin(); each != all.end() && each->predicted_s && *each->predicted_s <= most_s; ++each)
      if (!each->way.is_vendor() && !fewest->way.is_vendor() && rounds_of(*each) < rounds_of(*fewest)) fewest = each;
    const bool is_another = fewest != all.begin();
    std::rotate(all.begin(), fewest, fewest + 1);
    return is_another;
  }

  void conclude() {
    auto& all = decision_.considered;
    if (all.empty() || (!all[0].measured && !all[0].predicted_s)) return take_standard();
    const bool has_few_rounds = take_fewest_rounds();
    decision_.chosen = all[0].way;
    decision_.source = all[0].measured ? Source::wisdom : Source::price;
    const auto seconds = [](const Considered& each) { return each.measured ? each.measured->median_s : *each.predicted_s; };
    const double best = seconds(all[0]);
    if (!all[0].measured)
      decision_.reason = has_few_rounds
                             ? fmt::format("it has {} and the fewest rounds{} of those within {} times the least predicted time",
                                           time_text(best), between_nodes() ? " between nodes" : "", about_the_same())
                             : fmt::format("it has the least predicted time, {}", time_text(best));
    else if (launches_ > 1)
      decision_.reason =
          fmt::format("it has the least mean time of {} launches, the last on {}, {}", launches_, date_, time_text(best));
    else
      decision_.reason = fmt::format("it has the least time measured on {}, {}", date_, time_text(best));
    for (const Considered& each : all)
      if (each.way.is_vendor() && !decision_.chosen.is_vendor() && (each.measured || each.predicted_s))
        decision_.reason += fmt::format(", {:.2f} times the vendor's", best / seconds(each));
    if (!decision_.preset.empty() && decision_.source == Source::price)
      decision_.reason += fmt::format("; by the figures of the machine {}", decision_.preset);
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (!all[i].rejected.empty() && !all[i].measured && !all[i].predicted_s) continue;
      if (decision_.source == Source::wisdom && !all[i].measured)
        all[i].rejected = "not measured; predicted times are not compared with measured ones";
      else if (!all[i].measured && is_tied(decision_, seconds(all[i])))
        all[i].rejected = decision_.is_exact
                              ? std::string("as fast, by the model")
                              : fmt::format("tied: predicted {:.2f} times as long", best > 0 ? seconds(all[i]) / best : 1);
      else if (seconds(all[i]) < best)
        all[i].rejected = fmt::format("predicted {:.2f} times as long, but passed over for fewer rounds", seconds(all[i]) / best);
      else
        all[i].rejected =
            fmt::format("{} {:.2f} times as long", all[i].measured ? "measured" : "predicted", seconds(all[i]) / best);
    }
    all[0].rejected.clear();
  }

  void take_standard() {
    const Choice choice = parse_choice(problem_, default_algorithm(problem_.collective).id);
    decision_.chosen = {.algorithm = choice, .executor = options_.executors.front()};
    decision_.source = Source::standard;
    decision_.reason = "nothing is known about this machine, so it is the default";
  }

  const Problem& problem_;
  const Wisdom& wisdom_;
  const DecisionOptions& options_;
  std::string date_;
  std::size_t launches_ = 0;
  Decision decision_;
};

}  // namespace

std::vector<Choice> choices_worth_trying(const Problem& problem, bool own_counts_only, Count most_ports) {
  std::vector<Choice> all;
  for (const Algorithm* algorithm : algorithms_for(problem.collective)) {
    std::vector<Choice> own = combinations(problem, *algorithm);
    std::erase_if(own, [&](const Choice& choice) {
      return !applies(problem, choice) || (algorithm->ports && algorithm->ports(problem, choice.parameters) > most_ports) ||
             (own_counts_only && !runs_with_own_counts(problem, choice));
    });
    keep_pareto_front(problem, own);
    std::move(own.begin(), own.end(), std::back_inserter(all));
  }
  return all;
}

std::vector<Way> ways(const Problem& problem, const DecisionOptions& options) {
  std::vector<Way> all;
  for (const Choice& choice : choices_worth_trying(problem, options.own_counts_only))
    for (const Executor executor : options.executors)
      for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow})
        all.push_back({.algorithm = choice, .policy = policy, .executor = executor});
  if (options.with_vendor) all.push_back({.algorithm = Vendor{}, .executor = Executor::mpi});
  return all;
}

bool takes_too_long(const Problem& problem, const Choice& choice, bool explains) {
  const Algorithm& algorithm = *choice.algorithm;
  if (problem.ranks <= most_ranks_without_symmetry(algorithm, explains)) return false;
  return !algorithm.symmetry || !algorithm.symmetry(problem, choice.parameters);
}

bool runs_baseline(const Way& way) {
  const auto* choice = std::get_if<Choice>(&way.algorithm);
  return choice && is_baseline(*choice->algorithm);
}

std::string_view name(Source source) {
  static constexpr ByEnum<Source, std::string_view, 3> names{{"wisdom", "price", "standard"}};
  return names[source];
}

double tie_tolerance(const Decision& decision) { return decision.is_exact ? 0 : std::max(0.03, decision.prediction_error); }

bool is_tied(const Decision& decision, double seconds) {
  const double own = decision.considered[0].predicted_s.value(), factor = 1 + tie_tolerance(decision);
  return seconds <= own * factor && own <= seconds * factor;
}

Result<ModelChoice> model_of_preset(const Problem& problem, const DecisionOptions& options) {
  if (!options.preset) return cannot("no machine is named");
  return choose_model(*options.preset, pricing_facts(problem, options.topology ? &*options.topology : nullptr));
}

Decision decide(const Problem& problem, const Wisdom& wisdom, const DecisionOptions& options) {
  return Deciding(problem, wisdom, options).run();
}

}  // namespace quadrille

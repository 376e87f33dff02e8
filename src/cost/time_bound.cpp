// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "cost/compound_bound.hpp"
#include "foundation/assert.hpp"
#include "quadrille/bound.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr Count most_ranks_of_compound = 1 << 20;  // for more, looking at each number of rounds takes minutes
constexpr Count bytes_apart = 1'000'000;           // so that whole picoseconds tell attoseconds of a byte apart

// Returns the time of a round, or window, with just so many messages that its busiest rank needs `turns` turns of its ports, and
// with as many bytes for each port. Links carry `loaded` times as many bytes. Nodes do what ranks do.
Picoseconds time_of_round(const Formula& formula, Count ports, Count turns, Bytes bytes, Count loaded = 1) {
  const Bytes all = turns == 1 ? bytes : bytes * ports;
  const RoundFigures round{.messages = 1 + (turns - 1) * ports,
                           .bytes = all,
                           .longest = bytes / turns,
                           .chain = all,
                           .queue = all,
                           .turns = turns,
                           .sharing = turns,
                           .link_bytes = bytes * loaded,
                           .slowest = bytes / turns * loaded,
                           .exchanges = 1 + (turns - 1) * ports,
                           .exchanged = all,
                           .longest_exchange = bytes / turns,
                           .matchings = 1 + (turns - 1) * ports,
                           .matched = all};
  Picoseconds sum = 0;
  for (const Charge& charge : formula.of_round(round)) sum = add_times(sum, charge.time);
  return sum;
}

// The most links that leave a rank.
Count links_of_a_rank(const Topology& network) {
  Count most = 1;
  for (Rank rank = 0; rank < network.ranks(); ++rank) most = std::max(most, size(network.links_from(rank)));
  return most;
}

const Fraction picosecond(1, 1'000'000'000'000);

LeastTimes of_parts(const LeastParts& parts) {
  return {.startup_s = picosecond * parts.startup,
          .byte_s = picosecond * Fraction(parts.byte.of(bytes_apart), bytes_apart),
          .adds_up = parts.adds_up};
}

// The bound of the given bounds whose value is the greatest, or null.
const Bound* greatest(const std::vector<Bound>& bounds, std::string_view figure) {
  const Bound* best = nullptr;
  for (const Bound& each : bounds)
    if (each.figure == figure && each.certificate.kind != BoundKind::none && each.certificate.kind != BoundKind::compound &&
        (!best || best->exact < each.exact))
      best = &each;
  return best && best->exact == Fraction() ? nullptr : best;
}

}  // namespace

bool has_least_times(const Model& model) { return model.adds_bytes || model.least_parts; }

std::optional<LeastTimes> least_times(const Model& model, const MachineCosts& machine, const Topology* network) {
  if (!has_least_times(model) || (model.needs_links && !network)) return std::nullopt;
  const Coefficients& coefficients = coefficients_of(machine, model);
  if (model.least_parts) return of_parts(model.least_parts(coefficients));
  const Formula formula = model.formula_of(coefficients);
  const std::string_view key = model.needs_nodes ? "node_ports" : "ports";
  const auto stated = coefficients.find(key);
  const Count ports = model.needs_links              ? links_of_a_rank(*network)
                      : stated != coefficients.end() ? static_cast<Count>(stated->second)
                                                     : 1;
  const auto time = [&](Count turns, Bytes bytes) { return time_of_round(formula, ports, turns, bytes); };
  const Bytes many = Bytes{1} << 20;
  const Picoseconds of_bytes = time(1, many + bytes_apart) - time(1, many),
                    of_many = Fraction(Fraction::Wide{of_bytes} * many, bytes_apart).rounded_up(),
                    of_one = ceil_divide(of_bytes, bytes_apart);
  // A round with more messages than ports may take less than a start-up for each further turn of its ports. If the first byte of a
  // message is free, the messages of a turn on several ports save less than the time of one byte more than those here.
  const bool is_first_byte_free = time(1, 1) == time(1, 0);
  const Picoseconds first = time(1, many) - of_many,
                    further = time(2, many) - time(1, many) - (ports > 1 && is_first_byte_free ? of_one : 0);
  return LeastTimes{.startup_s = picosecond * std::max<Picoseconds>(0, std::min(first, further)),
                    .byte_s = picosecond * Fraction(of_bytes, bytes_apart),
                    .ports = ports,
                    .of_nodes = model.needs_nodes,
                    // If the first byte of a message is free, a link carries many messages of one byte without time.
                    .counts_links = !is_first_byte_free && time_of_round(formula, ports, 1, many, 2) > time(1, many)};
}

Fraction least_time(const Problem& problem, const Certificate& certificate, Count rounds, const Fraction& bytes) {
  const Fraction startups = certificate.startup_s * rounds, transfer = certificate.byte_s * bytes;
  if (!certificate.by_rounds) return std::max(startups, rounds > 0 ? certificate.startup_s + transfer : transfer);
  if (!certificate.is_compound || bytes == Fraction()) return startups + transfer;
  // A further round costs a start-up, and saves bytes until every block makes one hop.
  std::optional<Fraction> least;
  for (Count number = rounds;; ++number) {
    const auto compound = compound_bound(problem.ranks, certificate.ports, number, problem.block_bytes);
    if (!compound) continue;
    const Fraction time = certificate.startup_s * number + certificate.byte_s * std::max(bytes, *compound);
    if (!least || time < *least) least = time;
    if (!(bytes < *compound) || number >= problem.ranks) return *least;
    // More rounds have more start-ups, so from here on they take at least as long as the least time that was found.
    if (!(certificate.startup_s * number + transfer < *least)) return *least;
  }
}

Bound time_bound(const Problem& problem, const std::vector<Bound>& bounds, const LeastTimes& times, bool by_rounds) {
  Bound bound{.figure = "time",
              .source = "start-ups and bytes, at the least times of the model",
              .certificate = {.kind = BoundKind::time,
                              .ports = times.ports,
                              .startup_s = times.startup_s,
                              .byte_s = times.byte_s,
                              .by_rounds = by_rounds,
                              .is_compound = by_rounds && !times.of_nodes && problem.collective == Collective::alltoall &&
                                             problem.ranks <= most_ranks_of_compound}};
  Count rounds = 0;
  Fraction bytes;
  std::vector<std::string_view> figures{"c1", "c2"};
  if (times.of_nodes) figures = {"node_rounds", "node_traffic_out", "node_traffic_in"};
  if (times.counts_links) figures.push_back("c2_shared");
  for (const std::string_view figure : figures) {
    const Bound* const best = greatest(bounds, figure);
    if (!best) continue;
    Bound part = *best;
    if (figure != "c1" && figure != "c2" && figure != "node_rounds") part.certificate.ports = times.ports;  // has no meaning there
    QUADRILLE_ASSERT(part.certificate.ports == times.ports);
    if (part.certificate.kind == BoundKind::spread)
      rounds = part.value;
    else
      bytes = std::max(bytes, bytes_of_port(part));
    bound.parts.push_back(std::move(part));
  }
  Certificate& certificate = bound.certificate;
  // If start-ups and bytes overlap, the greater of both is the bound: the other one counts as free.
  if (!times.adds_up) (times.startup_s * rounds < times.byte_s * bytes ? certificate.startup_s : certificate.byte_s) = Fraction();
  bound.exact = least_time(problem, certificate, rounds, bytes);
  return bound;
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Lower bounds with certificates. A bound says that no schedule of a problem has a smaller figure. Its certificate is what another
// program needs to compute the bound again from the problem and the links of the network, without trusting the program that found
// it. docs/bounds.md states the arguments and the JSON form.
//
//   const Problem problem = Problem::alltoall(16, 1024);
//   const std::optional<NetworkLinks> links = links_of(Topology::torus({4, 4}));
//   for (const Bound& bound : network_bounds(problem, *links, {}))
//     assert(proved_value(problem, links, bound) == bound.exact);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/model.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {

// An exact quotient of whole numbers of at most 127 bits. All operations throw Error{too_large} if a number would be longer.
class Fraction {
 public:
  __extension__ typedef __int128 Wide;

  Fraction() = default;
  Fraction(Wide numerator, Wide denominator = 1);  // the denominator must be positive

  // The quotient in lowest terms.
  Wide numerator() const { return numerator_; }
  Wide denominator() const { return denominator_; }
  Count rounded_up() const;
  double approximate() const { return static_cast<double>(numerator_) / static_cast<double>(denominator_); }

  friend Fraction operator+(const Fraction& a, const Fraction& b);
  friend Fraction operator*(const Fraction& a, const Fraction& b);
  friend bool operator<(const Fraction& a, const Fraction& b);
  bool operator==(const Fraction&) const = default;

 private:
  Wide numerator_ = 0, denominator_ = 1;
};

std::string decimal(Fraction::Wide number);

// The argument from which a bound follows.
enum class BoundKind : std::uint8_t {
  none,        // no certificate: the figure's own function computed the bound
  spread,      // a round multiplies the number of parties that know something by at most k + 1
  crossing,    // bytes that must leave, or enter, a set of parties, divided among those that can carry them
  equal_part,  // the sum, over all parties, of the bytes that must leave (or enter) each, divided by their number
  results,     // if all need the combination of all vectors, each byte takes 2 (N - 1) messages of N parties
  odd_set,     // n parties, n odd, have at most (n - 1) / 2 exchanges with each other at a time
  flow,        // bytes times their distance, if each link has a price; divided by the sum of prices times capacities
  compound,    // blocks that make several hops in few rounds
  time,        // start-ups and bytes, at the times of a model
};
std::string_view name(BoundKind kind);
std::optional<BoundKind> bound_kind_named(std::string_view name);

// Parties are ranks for the figures c1 and c2, nodes for matchings and for figures that begin with node_, and vertices of the
// network for c2_shared. Nodes are numbered 0, 1, .. in the order of the problem's numbers; if it names none, each rank is a node.
struct Certificate {
  BoundKind kind = BoundKind::none;
  std::vector<Count> members = {};  // spread: one party; crossing and odd_set: the set
  bool outwards = true;             // spread, crossing, equal_part: do data leave the members (each party), or enter?
  Count ports = 1;                  // messages that a party can send, and receive, at a time
  Count rounds = 0;                 // compound: in so many rounds
  std::vector<Count> prices = {};   // flow: by link, in the order of NetworkLinks
  // time: seconds of a start-up and of a byte; whether rounds follow each other, so that start-ups and bytes add up; and whether
  // the compound bound holds
  Fraction startup_s = {}, byte_s = {};
  bool by_rounds = true, is_compound = false;
};

struct Bound {
  // "c1", "c2", "c2_shared", "node_rounds", "node_traffic_out", "node_traffic_in", "matchings", or "time" in seconds
  std::string figure;
  Count value = 0;  // `exact`, rounded up: no schedule of the problem, on these ports or this network, has a smaller figure
  std::string source;
  Fraction exact = {};
  Certificate certificate = {};
  std::vector<Bound> parts = {};  // if this bounds the time: the bounds of ranks and links, or of nodes, from which it follows
};

Bound proved(std::string figure, const Fraction& exact, std::string source, Certificate certificate);

// The directed links of a network.
struct NetworkLinks {
  struct Ends {
    Vertex from = 0, to = 0;
  };
  Count vertices = 0;  // the first ones are the ranks
  std::vector<Ends> links;
  Capacities capacities = {};  // in the order of `links`
};
NetworkLinks links_of(const Topology& topology);  // the links of vertex 0, then those of vertex 1, ..

// Computes the value that the certificate proves, from the problem and the links alone. Throws Error{misuse} if the certificate is
// no certificate of this figure, and Error{too_large}.
Fraction proved_value(const Problem& problem, const std::optional<NetworkLinks>& network, const Bound& bound);

// How long to look for bounds on a network.
struct NetworkEffort {
  Count steps = 1600;            // of the search for prices; 0: only equal prices, and cuts that are easily found
  std::vector<Count> grid = {};  // the sides of the network, if its ranks are numbered row by row; their halves are cuts
};

// Returns bounds of c2_shared, the greatest first: the best cut, and the best prices. They hold for every routing. Prices are
// found by multiplicative weights [garg2007]: links that carry much of the traffic on cheapest ways become dearer. Whatever the
// prices are, the bound is exact. If blocks have one target each, the prices of a step are also compared with the mean traffic of
// the steps so far; the search ends when the bound is within a thousandth of what this traffic takes. Throws Error{too_large} if
// the problem has more than four million needs.
std::vector<Bound> network_bounds(const Problem& problem, const NetworkLinks& network, const NetworkEffort& effort);

// Returns all bounds that have certificates, for ranks, and nodes if the problem names some, with `ports` ports: those of cost.hpp
// and, if `topology` is not null, network_bounds. Bounds of 0 are left out.
std::vector<Bound> certified_bounds(const Problem& problem, Count ports, const Topology* topology = nullptr, Count steps = 1600);

// The same in about a second: with fewer steps and cuts. For more than 1024 ranks, only the bounds of ranks, and no network.
std::vector<Bound> quick_bounds(const Problem& problem, Count ports, const Topology* topology);

// What a model charges at least for a start-up and for a byte of C2 or C2 shared.
struct LeastTimes {
  Fraction startup_s, byte_s;
  Count ports = 1;
  bool of_nodes = false;      // of exchanges between nodes, not of messages of ranks
  bool counts_links = false;  // does the time of a byte hold for C2 shared, too?
  bool adds_up = true;        // otherwise start-ups and bytes may overlap, and the time is at least that of either
};
bool has_least_times(const Model& model);
// Returns nothing for models without least times, and for a model that counts links without a network, which may be null.
std::optional<LeastTimes> least_times(const Model& model, const MachineCosts& machine, const Topology* network);

// Returns the bound of the time that follows from the best of the given bounds of c1, c2 and c2_shared, or of node_rounds and the
// traffic of nodes, which must have certificates. `by_rounds`: rounds follow each other.
Bound time_bound(const Problem& problem, const std::vector<Bound>& bounds, const LeastTimes& times, bool by_rounds = true);

// The JSON form.
struct BoundDocument {
  Problem problem;
  std::optional<NetworkLinks> network;
  std::vector<Bound> bounds;
};
std::string bounds_json(const BoundDocument& document);
BoundDocument parse_bounds(std::string_view text);  // throws Error{malformed} with the place, and Error{misuse}

}  // namespace quadrille

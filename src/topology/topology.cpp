// SPDX-License-Identifier: BSD-3-Clause
// Topologies in the command's notation: "KIND:NUMBERS". In some kinds a comma and the name of a routing may follow.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "foundation/text/parsing.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"
#include "quadrille/topology.hpp"
#include "topology/topology_kind.hpp"

namespace quadrille {
namespace {

std::vector<Count> parse_sides(std::string_view text, std::string_view whole) {
  std::vector<Count> sides;
  for (const std::string_view side : split(text, 'x')) {
    Count value = 0;
    const auto [end, status] = std::from_chars(side.data(), side.data() + side.size(), value);
    if (status == std::errc::result_out_of_range)
      throw Error(ErrorCode::too_large, fmt::format("the side {} in the topology '{}' is 2^63 or more", side, whole));
    if (status != std::errc{} || end != side.data() + side.size() || value < 1)
      throw Error(ErrorCode::misuse, fmt::format("'{}' in the topology '{}' is not a side; sides are whole numbers from 1 on, as "
                                                 "in torus:4x8",
                                                 side, whole));
    sides.push_back(value);
  }
  return sides;
}

const TopologyKind& kind_named(std::string_view name) {
  std::vector<std::string> known;
  for (const TopologyKind* kind : all_topology_kinds()) {
    if (kind->name == name) return *kind;
    known.emplace_back(kind->name);
  }
  const std::string all = fmt::format("there are: {}, and files: edges:FILE, platform:FILE", fmt::join(known, ", "));
  throw Error(ErrorCode::misuse, fmt::format("there is no topology '{}'; {}", name, guess_or(name, known, all)));
}

// `word` is the part of `text` after the comma. Error messages quote `text`.
Routing parse_routing(const TopologyKind& kind, std::string_view word, std::string_view text) {
  if (std::find(kind.routings.begin(), kind.routings.end(), word) != kind.routings.end()) return routing_named(word);
  const std::string known =
      kind.routings.empty() ? "which takes none" : fmt::format("whose routings are: {}", fmt::join(kind.routings, ", "));
  throw Error(ErrorCode::misuse,
              fmt::format("'{}' in the topology '{}' is not a routing of '{}', {}", word, text, kind.name, known));
}

void check_count(const TopologyKind& kind, std::size_t count, std::string_view text) {
  if (kind.numbers == 0 || kind.numbers == count) return;
  const std::string numbers = kind.numbers == 1 ? "one number" : fmt::format("{} numbers", kind.numbers);
  throw Error(ErrorCode::misuse, fmt::format("the topology '{}' takes {}, such as {}:{}", text, numbers, kind.name, kind.example));
}

}  // namespace

Routing routing_named(std::string_view word) {
  return word == "balanced" ? Routing::balanced : word == "last" ? Routing::last_dimension_first : Routing::first_dimension_first;
}

Topology parse_topology(std::string_view text) {
  const std::size_t colon = text.find(':');
  const TopologyKind& kind = kind_named(text.substr(0, colon));
  if (colon == std::string_view::npos)
    throw Error(ErrorCode::misuse, fmt::format("the topology '{0}' has no side; write {0}:{1}", text, kind.example));
  const std::string_view rest = text.substr(colon + 1);
  const std::size_t comma = rest.find(',');
  const Routing routing =
      comma == std::string_view::npos ? Routing::first_dimension_first : parse_routing(kind, rest.substr(comma + 1), text);
  const std::vector<Count> numbers = parse_sides(rest.substr(0, comma), text);
  check_count(kind, numbers.size(), text);
  return kind.make(numbers, routing);
}

const Capacities& Network::capacities() const {
  static const Capacities equal;
  return equal;
}

Bytes Capacities::on_machine(Bytes bytes, Count capacity) const {
  if (of_links.empty()) return bytes;
  __extension__ typedef __int128 Wide;
  const Wide scaled = (Wide{bytes} * of_machine + capacity - 1) / capacity;
  if (scaled > std::numeric_limits<Bytes>::max())
    throw Error(ErrorCode::too_large, "a slow link takes the time of 2^63 bytes; make the sizes smaller");
  return static_cast<Bytes>(scaled);
}

std::vector<Vertex> Topology::neighbours(Vertex vertex) const {
  std::vector<Vertex> vertices;
  for (const Link& link : links_from(vertex)) vertices.push_back(link.to);
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

}  // namespace quadrille

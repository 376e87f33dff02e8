// SPDX-License-Identifier: BSD-3-Clause
// Reads networks from files: graphs from text with one edge, or one dead vertex, on each line, and clusters from SimGrid's platform
// files, version 4: <cluster topology="TORUS" topo_parameters="3,2,2" radical="0-11" ..>. Only the connections of a cluster are
// used: its name, speeds and loopback matter only to SimGrid.
//   TORUS      sides; the first changes fastest with the rank and is crossed first
//   FAT_TREE   levels;children of a switch of each level;parents of what is below it;cables between the two [zahavi2010]
//   DRAGONFLY  groups,cables;chassis of a group,cables;routers of a chassis,cables;nodes of a router. Links join all routers
//              of a chassis; all routers of a group with the same place in their chassis; router j of group i with router i of
//              group j
// Each cable becomes an edge, even if several cables join the same two ends.
#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>

#include "foundation/text/parsing.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/types.hpp"
#include "topology/graph.hpp"

namespace quadrille {
namespace {

[[noreturn]] void malformed_line(const std::string& label, Count line, const std::string& what) {
  throw Error(ErrorCode::malformed, fmt::format("{}, line {}: {}", label, line, what));
}

class Platform {
 public:
  Platform(std::string_view text, const std::string& label) : text_(text), label_(label) {
    const auto result = document_.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result) refuse(result.offset, fmt::format("this is not XML: {}", lower_case(result.description())));
    const auto clusters = document_.select_nodes("//cluster");
    if (clusters.empty()) refuse(0, "the platform has no cluster");
    cluster_ = clusters[0].node();
    if (clusters.size() > 1) refuse(clusters[1].node().offset_debug(), "a platform must have one cluster, and this is the second");
  }

  Topology topology() {
    const std::string kind = cluster_.attribute("topology").as_string("FLAT");
    const std::string policy = cluster_.attribute("sharing_policy").as_string("SPLITDUPLEX");
    if (policy != "SPLITDUPLEX")
      refuse(fmt::format("the sharing policy is '{}'; only SPLITDUPLEX is supported: two links, one in each direction", policy));
    if (kind == "TORUS") return torus();
    if (kind == "FAT_TREE") return fat_tree();
    if (kind == "DRAGONFLY") return dragonfly();
    refuse(fmt::format("the cluster's topology is '{}'; there are: TORUS, FAT_TREE, DRAGONFLY", kind));
  }

 private:
  Topology torus() {
    std::vector<Count> sides = numbers(parameters(), "sides");
    check_hosts(product(sides));
    std::reverse(sides.begin(), sides.end());
    return Topology::torus(sides, Routing::last_dimension_first);
  }

  // A vertex has one digit for each level. For a level below the vertex's own level, the digit is the number of a parent. For its
  // own level and each higher level, the digit is the number of a child. A vertex is connected to those vertices of the next
  // level whose other digits are equal; the digit of its own level may differ.
  Topology fat_tree() {
    const auto groups = split(parameters(), ';');
    if (groups.size() != 4) refuse("a fat tree has four parameters: levels;children;parents;cables, such as 2;4,4;1,2;1,2");
    const Count levels = number(groups[0]);
    const std::vector<Count> children = numbers(groups[1], "numbers of children", levels),
                             parents = numbers(groups[2], "numbers of parents", levels),
                             cables = numbers(groups[3], "numbers of cables", levels);
    const Count ranks = product(children);
    check_hosts(ranks);
    std::vector<Count> digits = children;
    Vertex first = 0, next_first = ranks;
    for (std::size_t level = 0; level < children.size(); ++level) {
      const std::size_t position = level;
      Count stride = 1;
      for (std::size_t i = 0; i < position; ++i) stride *= digits[i];
      const Count below = product(digits), old = std::exchange(digits[position], parents[level]);
      for (Vertex child = 0; child < below; ++child)
        for (Count parent = 0; parent < parents[level]; ++parent) {
          const Count high = child / (stride * old), low = child % stride;
          join(first + child, next_first + low + stride * (parent + parents[level] * high), cables[level]);
        }
      first = std::exchange(next_first, next_first + product(digits));
    }
    return graph(ranks, next_first);
  }

  Topology dragonfly() {
    const auto groups_of_numbers = split(parameters(), ';');
    if (groups_of_numbers.size() != 4)
      refuse("a dragonfly has four parameters: groups,cables;chassis,cables;routers,cables;nodes, such as 3,4;4,3;5,1;2");
    const auto pair = [&](std::size_t i) { return numbers(groups_of_numbers[i], "numbers", 2); };
    const std::vector<Count> group = pair(0), chassis = pair(1), blade = pair(2);
    const Count nodes = number(groups_of_numbers[3]);
    const Count ranks = product({group[0], chassis[0], blade[0], nodes});
    check_hosts(ranks);
    const Count of_group = chassis[0] * blade[0];
    if (group[0] > 1 && group[0] > of_group)
      refuse(
          fmt::format("each group needs a router for each other group: {} groups, but {} routers in a group", group[0], of_group));
    const auto router = [&](Count g, Count index) { return ranks + g * of_group + index; };
    for (Rank rank = 0; rank < ranks; ++rank) join(rank, ranks + rank / nodes, 1);
    for (Count g = 0; g < group[0]; ++g) {
      for (Count a = 0; a < of_group; ++a)
        for (Count b = a + 1; b < of_group; ++b) {
          if (a / blade[0] == b / blade[0]) join(router(g, a), router(g, b), blade[1]);
          if (a % blade[0] == b % blade[0]) join(router(g, a), router(g, b), chassis[1]);
        }
      for (Count other = g + 1; other < group[0]; ++other) join(router(g, other), router(other, g), group[1]);
    }
    return graph(ranks, ranks + group[0] * of_group);
  }

  void join(Vertex a, Vertex b, Count cables) {
    if (cables > most_graph_edges - size(edges_))
      throw Error(ErrorCode::too_large, fmt::format("the platform {} has more than {} cables", label_, most_graph_edges));
    edges_.insert(edges_.end(), index(cables), {a, b});
  }

  Topology graph(Count ranks, Count vertices) const { return {label_, std::make_shared<Graph>(label_, ranks, vertices, edges_)}; }

  std::string_view parameters() const {
    const auto attribute = cluster_.attribute("topo_parameters");
    if (!attribute) refuse("the cluster has no topo_parameters");
    return attribute.as_string();
  }

  // radical="0-3,7" lists the numbers of the hosts. The ranks are the hosts in this order.
  void check_hosts(Count wanted) const {
    const std::string radical = cluster_.attribute("radical").as_string();
    Count hosts = 0;
    for (const std::string_view part : split(radical, ',')) {
      const auto ends = split(part, '-');
      const Count first = number(ends.front(), 0), last = number(ends.back(), 0);
      if (ends.size() > 2 || last < first)
        refuse(fmt::format("'{}' in radical=\"{}\" is not a range, such as 0-11", part, radical));
      if (__builtin_add_overflow(hosts, last - first, &hosts) || __builtin_add_overflow(hosts, 1, &hosts))
        refuse(fmt::format("radical=\"{}\" names 2^63 hosts or more", radical));
    }
    if (hosts != wanted) refuse(fmt::format("topo_parameters make {} nodes, but radical=\"{}\" names {}", wanted, radical, hosts));
  }

  Count product(const std::vector<Count>& factors) const {
    Count result = 1;
    for (const Count factor : factors)
      if (__builtin_mul_overflow(result, factor, &result) || result > most_graph_ranks)
        throw Error(ErrorCode::too_large,
                    fmt::format("{}, line {}: there are more than 2^20 nodes, or switches of a level", label_, line()));
    return result;
  }

  Count number(std::string_view word, Count least = 1) const {
    const auto value = number_in<Count>(trimmed(word));
    if (!value || *value < least) refuse(fmt::format("'{}' is not an integer of at least {}", word, least));
    return *value;
  }

  std::vector<Count> numbers(std::string_view list, std::string_view what, std::optional<Count> wanted = {}) const {
    std::vector<Count> result;
    for (const std::string_view word : split(list, ',')) result.push_back(number(word));
    if (wanted && size(result) != *wanted) refuse(fmt::format("'{}' holds {} {}, not {}", list, result.size(), what, *wanted));
    return result;
  }

  static std::string lower_case(std::string sentence) {
    if (!sentence.empty()) sentence[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(sentence[0])));
    return sentence;
  }

  Count line(std::ptrdiff_t offset) const {
    const auto end = std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(text_.size()));
    return 1 + std::count(text_.begin(), text_.begin() + end, '\n');
  }
  Count line() const { return line(cluster_.offset_debug()); }
  [[noreturn]] void refuse(std::ptrdiff_t offset, const std::string& what) const { malformed_line(label_, line(offset), what); }
  [[noreturn]] void refuse(const std::string& what) const { malformed_line(label_, line(), what); }

  const std::string_view text_;
  const std::string& label_;
  pugi::xml_document document_;
  pugi::xml_node cluster_;
  std::vector<Graph::Edge> edges_;
};

// Switches are numbered -1, -2, .. until all ranks are known.
class EdgeList {
 public:
  EdgeList(std::string_view text, const std::string& label) : label_(label) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
      ++line_;
      std::istringstream words(line.substr(0, line.find('#')));
      const std::vector<std::string> own{std::istream_iterator<std::string>(words), {}};
      if (!own.empty()) read(own);
    }
  }

  Topology topology() {
    if (last_rank_ < 0) refuse("no edge leads to a rank");
    Count ranks = 0, vertices = 0;
    std::map<Vertex, Vertex> places;
    for (Rank rank = 0; rank <= last_rank_; ++rank)
      if (!dead_.contains(rank)) places[rank] = ranks++;
    if (ranks == 0) refuse("all ranks are left out");
    vertices = ranks;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (const Vertex number = -1 - static_cast<Vertex>(i); !dead_.contains(number))
        places[number] = vertices++, names.push_back(names_[i]);
    std::vector<Graph::Edge> edges;
    for (const auto& [a, b, numerator, denominator] : edges_)
      if (numerator > 0 && places.contains(a) && places.contains(b))
        edges.push_back({places[a], places[b], numerator * (common_denominator_ / denominator)});
    return {label_, std::make_shared<Graph>(label_, ranks, vertices, edges, names, std::vector<Count>(), common_denominator_)};
  }

 private:
  static constexpr Count most_capacity = 1'000'000;

  struct WrittenEdge {
    Vertex a = 0, b = 0;
    Count numerator = 1, denominator = 1;  // of the capacity
  };

  void read(const std::vector<std::string>& words) {
    if (words.size() == 1 && words[0].size() > 1 && words[0].front() == '!') {
      dead_.insert(vertex_of(words[0].substr(1)));
      return;
    }
    if (words.size() != 2 && words.size() != 3)
      refuse(fmt::format("an edge has two ends and perhaps a capacity, not {}", counted(words.size(), "word")));
    WrittenEdge edge{vertex_of(words[0]), vertex_of(words[1])};
    if (edge.a == edge.b) refuse(fmt::format("the edge leads from '{}' to itself", words[0]));
    if (words.size() == 3) read_capacity(words[2], edge);
    edges_.push_back(edge);
  }

  // 4, 1/4 or 0.25
  void read_capacity(const std::string& word, WrittenEdge& edge) {
    const std::size_t mark = word.find_first_of("/.");
    const std::string after = mark == std::string::npos ? "" : word.substr(mark + 1);
    std::optional<Count> numerator = number_in<Count>(word.substr(0, mark)), denominator = 1;
    if (mark != std::string::npos && word[mark] == '/') denominator = number_in<Count>(after);
    if (mark != std::string::npos && word[mark] == '.') {
      numerator = number_in<Count>(word.substr(0, mark) + after);
      for (std::size_t i = 0; i < after.size() && *denominator <= most_capacity; ++i) *denominator *= 10;
    }
    if (!numerator || !denominator || *numerator < 0 || *denominator < 1 || (mark != std::string::npos && after.empty()))
      refuse(fmt::format("'{}' is not a capacity, such as 4, 1/4 or 0.25", word));
    const Count divisor = std::gcd(*numerator, *denominator);
    edge.numerator = *numerator / divisor, edge.denominator = *denominator / divisor;
    common_denominator_ = std::lcm(common_denominator_, std::min(edge.denominator, most_capacity + 1));
    if (std::max(edge.numerator, common_denominator_) > most_capacity)
      refuse(fmt::format("with the capacity {} the numerators, or the common denominator, of capacities exceed {}", word,
                         most_capacity));
  }

  Vertex vertex_of(const std::string& word) {
    if (const auto rank = number_in<Rank>(word); rank && *rank >= 0 && *rank < most_graph_ranks) {
      last_rank_ = std::max(last_rank_, *rank);
      return *rank;
    }
    if (!std::isalpha(static_cast<unsigned char>(word.front())))
      refuse(fmt::format("'{}' is neither a rank, from 0 to {}, nor the name of a switch", word, most_graph_ranks - 1));
    const auto [found, fresh] = switches_.try_emplace(word, -1 - static_cast<Vertex>(names_.size()));
    if (fresh) names_.push_back(word);
    return found->second;
  }

  [[noreturn]] void refuse(const std::string& what) const { malformed_line(label_, line_, what); }

  const std::string& label_;
  Count line_ = 0;
  Rank last_rank_ = -1;
  std::vector<WrittenEdge> edges_;
  std::map<std::string, Vertex> switches_;
  std::vector<std::string> names_;  // of switches
  std::set<Vertex> dead_;
  Count common_denominator_ = 1;  // of all capacities
};

}  // namespace

Topology parse_edge_list(std::string_view text, const std::string& label) { return EdgeList(text, label).topology(); }

Topology parse_platform(std::string_view text, const std::string& label) { return Platform(text, label).topology(); }

}  // namespace quadrille

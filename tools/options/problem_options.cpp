// SPDX-License-Identifier: BSD-3-Clause
#include "options/problem_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "options/documents.hpp"
#include "problem/collective_facts.hpp"
#include "problem/limits.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "support/text.hpp"
#include "topology/topology_kind.hpp"

namespace quadrille::command {
namespace {

double parse_density(std::string_view text) {
  const auto density = number_in<double>(text);
  if (!density || !(*density >= 0 && *density <= 1)) refuse(fmt::format("the density '{}' is not a number from 0 to 1", text));
  return *density;
}

// Draws the shares of an irregular problem at random.
std::shared_ptr<const std::vector<Bytes>> drawn_counts(Count how_many, Bytes block_bytes, Bytes element_bytes) {
  if (block_bytes > std::numeric_limits<Bytes>::max() / 2 - 1)
    refuse("the size of --block is too large for shares of up to twice as much");
  return std::make_shared<const std::vector<Bytes>>(drawn_sizes(how_many, block_bytes, element_bytes));
}

// Returns a problem in which each rank sends to each of its targets as many bytes as to the target that gets most.
Problem with_longest_counts(const Problem& problem) {
  std::vector<TrafficEntry> entries;
  for (Rank from = 0; from < problem.ranks; ++from) {
    const std::vector<Share> row = Traffic(problem).sent_by(from);
    Bytes longest = 0;
    for (const Share& share : row) longest = std::max(longest, share.bytes);
    for (const Share& share : row) entries.push_back({from, share.peer, longest});
  }
  return Problem::alltoallv(problem.ranks, std::move(entries));
}

// Returns true if --counts names a file. The value may also be a list of sizes, which begins with a digit; a file with that name
// takes precedence.
bool names_file(const std::optional<std::string>& counts) {
  if (!counts || counts->empty()) return false;
  return !std::isdigit(static_cast<unsigned char>(counts->front())) || ::access(counts->c_str(), F_OK) == 0;
}

Problem matrix_of(CountsFile file, Count rank_count, const std::string& name) {
  if (file.rows != file.columns)
    refuse(fmt::format("'{}' has {} rows of {} numbers; for alltoallv both must be the number of ranks", name, file.rows,
                       file.columns));
  if (file.rows != rank_count) refuse(fmt::format("'{}' is a matrix for {}, not {}", name, counted(file.rows, "rank"), rank_count));
  return Problem::alltoallv(rank_count, std::move(file.entries));
}

}  // namespace

bool has_own_sizes(TrafficKind kind) { return kind == TrafficKind::spike || kind == TrafficKind::transpose; }

TrafficPattern parse_pattern(const std::string& text, Bytes typical) {
  const std::string_view whole = text;
  const std::size_t colon = whole.find_first_of(":,");
  const auto kind = traffic_kind_named(whole.substr(0, colon));
  if (!kind) {
    std::vector<std::string> known;
    for (const TrafficKind each : all_traffic_kinds()) known.emplace_back(quadrille::name(each));
    refuse_unknown("pattern", whole.substr(0, colon), known);
  }
  TrafficPattern pattern{.kind = *kind, .typical = typical};
  std::vector<std::string_view> items;
  if (colon != std::string_view::npos) items = split(whole.substr(colon + 1), ',');
  if (!items.empty() && items.back().substr(0, 5) == "seed=") {
    pattern.seed = static_cast<std::uint64_t>(parse_whole(items.back().substr(5), "the seed of the pattern", 0));
    items.pop_back();
  }
  const std::size_t least = has_own_sizes(*kind) ? 1 : 0, most = has_own_sizes(*kind)                                           ? 2
                                                                 : *kind == TrafficKind::sparse || *kind == TrafficKind::groups ? 1
                                                                                                                                : 0;
  if (items.size() < least)
    refuse(fmt::format("the pattern {0} needs its largest size, such as {0}:64KiB", quadrille::name(*kind)));
  if (items.size() > most) refuse(fmt::format("'{}' is too much for the pattern '{}'", items[most], whole));
  if (*kind == TrafficKind::sparse && !items.empty()) pattern.density = parse_density(items[0]);
  if (*kind == TrafficKind::groups && !items.empty()) pattern.senders = parse_whole(items[0], "the number of senders", 1);
  if (has_own_sizes(*kind)) pattern.most = parse_size(items[0]);
  if (items.size() == 2) pattern.small = parse_size(items[1]);
  return pattern;
}

std::string pattern_help() {
  return "alltoallv: how much each rank sends to each rank. spike:MAX[,SMALL]: MAX to one random rank, SMALL to the others. "
         "transpose:MAX[,SMALL]: MAX to its mirror image in a square, SMALL to the others. sparse[:DENSITY]: to this share of the "
         "ranks (default 0.1). groups[:SENDERS]: from the first ranks (default half) to each of the others. Sizes around --block: "
         "equal, uniform, normal, power-law, permutation, all-to-one, one-to-all. A "
         "pattern may end in a seed, as in uniform:seed=3 (default: seed=1)";
}

void ProblemOptions::add_to(OptionTable& table) {
  table.add(
      group::problem,
      {{"--ranks", "LIST", ranks, "numbers of ranks: 8, 2..8,16"},
       {"--block", "SIZES", block,
        "sizes of a block: 8,1KiB,1.5MiB, or 8..64KiB, which doubles from 8 B up to 64 KiB (default 8B)"},
       {"--counts", "SIZES|FILE", counts,
        "irregular collectives: the size of each rank's share, such as 3B,0,8B (alltoallv: of what each rank sends to each rank, "
        "row "
        "by row), or a file of sizes in bytes, CSV or Matrix Market (- is stdin); default: random sizes from 0 to twice --block, "
        "the "
        "same in each run"},
       {"--pattern", "PATTERN", pattern, pattern_help()},
       {"--shared-blocks", "", shared_blocks,
        "alltoallv: a rank has one block for all its targets, as in a neighbourhood allgatherv; with --pattern, as long as the "
        "longest that the pattern gives it"},
       {"--root", "LIST", root,
        "roots of a rooted collective: 0..3, or all (default 0); roots of a list that are beyond the last rank are skipped"},
       {"--op", "OP", operation, fmt::format("reductions: {} (default sum)", fmt::join(operator_names(), ", "))},
       {"--type", "TYPE", type, fmt::format("reductions: type of an element, {} (default f64)", fmt::join(type_names(), ", "))},
       {"--reproducible", "", reproducible,
        "reductions: combine along a fixed tree of the ranks; all algorithms that support it then give identical bits"},
       {"--grid", "SIDES", grid, "the sides of the grid that the ranks form: 4x8; --ranks may then be left out"},
       {"--topology", "TOPOLOGY", topology,
        fmt::format("the network: {}, edges:FILE, a SimGrid platform as FILE.xml or platform:FILE; also sets --grid and "
                    "--nodes unless they are given",
                    fmt::join(topology_examples(), ", "))},
       {"--node-sizes", "LIST", node_sizes, "ranks of each node, in order: 1,2,3, or 4x6 for four nodes of six"},
       {"--nodes", "LIST", nodes, "the node of each rank: 0,1,0,1"}});
}

bool ProblemOptions::given_but_operator() const {
  return ranks || block || counts || pattern || shared_blocks || root || grid || nodes || node_sizes;
}

bool ProblemOptions::given() const { return given_but_operator() || operation || type || reproducible; }

std::vector<Count> ProblemOptions::rank_counts(Count standard) const {
  if (ranks) return parse_wholes(*ranks, "the number of ranks", 1);
  if (topology) return {network()->ranks()};
  if (nodes || node_sizes) return {size(placement())};
  if (grid) return {ranks_of_grid()};
  if (names_file(counts)) {
    const CountsFile file = read_counts(0);
    return {std::max(file.rows, file.columns)};
  }
  if (standard == 0) refuse("say how many ranks: --ranks 8, or a list such as 2..8,16");
  return {standard};
}

std::vector<Count> ProblemOptions::sides_of_grid() const {
  std::vector<Count> sides;
  for (const std::string_view side : split(*grid, 'x')) sides.push_back(parse_whole(side, "a side of the grid", 1));
  return sides;
}

Count ProblemOptions::ranks_of_grid() const {
  std::optional<Count> product = 1;
  for (const Count side : sides_of_grid())
    if (product = checked_product(*product, side); !product) refuse(fmt::format("the grid '{}' has 2^63 ranks or more", *grid));
  return *product;
}

std::vector<Count> ProblemOptions::placement() const {
  if (nodes && node_sizes) refuse("--nodes and --node-sizes exclude each other");
  if (nodes) return parse_wholes(*nodes, "the node of a rank", 0);
  std::vector<Count> placed;
  if (!node_sizes) return placed;
  Count node = 0;
  for (const std::string_view item : split(*node_sizes, ',')) {
    const std::size_t cross = item.find('x');
    const std::string_view each = cross == item.npos ? item : item.substr(cross + 1);
    if (item.empty() || cross == 0) refuse(fmt::format("'{}' in the nodes '{}' is not a size of a node", item, *node_sizes));
    const Count times = cross == item.npos ? 1 : parse_whole(item.substr(0, cross), "the number of nodes", 1);
    for (const Count ranks_of_node : parse_wholes(each, "the size of a node", 1)) {
      if (ranks_of_node > (most_listed - size(placed)) / times)
        refuse(fmt::format("the nodes '{}' hold more than {} ranks", *node_sizes, most_listed));
      for (Count i = 0; i < times; ++i) placed.insert(placed.end(), index(ranks_of_node), node++);
    }
  }
  return placed;
}

CountsFile ProblemOptions::read_counts(Bytes block_bytes) const {
  const std::string label = label_of(*counts);
  if (!counts_text_) counts_text_ = read_text(*counts, label);
  return parse_counts(*counts_text_, label, block_bytes);
}

std::optional<Topology> ProblemOptions::network() const {
  if (!topology) return std::nullopt;  // also in a copy whose topology was reset after network_ was made
  if (!network_) {
    const std::size_t colon = topology->find(':');
    const std::string kind = topology->substr(0, colon);
    const auto read = [&](auto parse, const std::string& file) { network_ = parse(read_text(file, "'" + file + "'"), file); };
    if (topology->ends_with(".xml") && kind != "edges" && kind != "platform")
      read(parse_platform, *topology);
    else if (colon != std::string::npos && kind == "platform")
      read(parse_platform, topology->substr(colon + 1));
    else if (colon != std::string::npos && kind == "edges")
      read(parse_edge_list, topology->substr(colon + 1));
    else
      network_ = parse_topology(*topology);
  }
  return network_;
}

bool ProblemOptions::depends_on_block(Collective collective) const {
  return moves_data(collective) && !counts && !(pattern && has_own_sizes(parse_pattern(*pattern, 0).kind));
}

std::vector<Bytes> ProblemOptions::block_sizes() const { return parse_sizes(block.value_or("8B")); }

std::vector<Rank> ProblemOptions::roots(Collective collective, Count rank_count) const {
  if (!root) return {0};
  if (!is_rooted(collective)) refuse(fmt::format("{} has no root; leave --root out", quadrille::name(collective)));
  if (*root == "all") return parse_wholes(fmt::format("0..{}", rank_count - 1), "the root", 0);
  std::vector<Rank> list = parse_wholes(*root, "the root", 0);
  // A single root must be a rank. A list such as 0..3 serves for all of --ranks 2..8, so its roots beyond the last rank are
  // skipped.
  if (list.size() > 1) std::erase_if(list, [&](Rank rank) { return rank >= rank_count; });
  if (list.empty())
    refuse(fmt::format("no root of '{}' is one of {}, 0 to {}", *root, counted(rank_count, "rank"), rank_count - 1));
  return list;
}

std::shared_ptr<const Operator> ProblemOptions::operation_for(Collective collective) const {
  if (is_reduction(collective)) return built_in_operator(operation.value_or("sum"), type.value_or("f64"));
  for (const auto& [option, given] :
       {std::pair("--op", operation.has_value()), {"--type", type.has_value()}, {"--reproducible", reproducible}})
    if (given) refuse(fmt::format("{} reduces nothing; leave {} out", quadrille::name(collective), option));
  return nullptr;
}

Problem ProblemOptions::problem(Collective collective, Count rank_count, Bytes block_bytes, Rank root_rank) const {
  Problem problem;
  problem.collective = collective;
  problem.ranks = rank_count;
  if (const auto reduction = operation_for(collective)) {
    problem.element_bytes = reduction->element_bytes;
    problem.commutative = reduction->commutative;
    problem.reproducible = reproducible;
    if (!is_irregular(collective) && block_bytes % problem.element_bytes != 0)
      refuse(fmt::format("blocks of {} bytes do not hold whole elements of {} bytes ({} of {}); choose another --block or --type",
                         block_bytes, problem.element_bytes, reduction->name, reduction->type));
  }
  if (block && !moves_data(collective)) refuse(fmt::format("{} moves no data; leave --block out", quadrille::name(collective)));
  if (counts && !is_irregular(collective))
    refuse(fmt::format("{} has blocks of one size; say --block instead of --counts", quadrille::name(collective)));
  if (pattern && !has_pair_counts(collective))
    refuse(fmt::format("a pattern is for alltoallv, because it has a size for each pair of ranks; {} takes --block or --counts",
                       quadrille::name(collective)));
  if (pattern && counts) refuse("--pattern and --counts exclude each other");
  if (pattern) {
    const TrafficPattern traffic = parse_pattern(*pattern, block_bytes);
    if (block && has_own_sizes(traffic.kind))
      refuse(fmt::format("the pattern {} states its own sizes; leave --block out", quadrille::name(traffic.kind)));
    problem = make_traffic(rank_count, traffic);
  } else if (is_irregular(collective) && names_file(counts)) {
    const CountsFile file = read_counts(block_bytes);
    if (has_pair_counts(collective))
      problem = matrix_of(file, rank_count, *counts);
    else
      problem.counts = std::make_shared<const std::vector<Bytes>>(shares_of(file, "'" + *counts + "'"));
  } else if (is_irregular(collective)) {
    const bool matrix = has_pair_counts(collective);
    if (rank_count > most_listed / (matrix ? rank_count : 1))
      refuse(fmt::format("{} among {} has too many shares; the limit is {}", quadrille::name(collective),
                         counted(rank_count, "rank"), most_listed));
    problem.counts = counts ? std::make_shared<const std::vector<Bytes>>(parse_sizes(*counts))
                            : drawn_counts(matrix ? rank_count * rank_count : rank_count, block_bytes, problem.element_bytes);
  } else if (has_blocks(collective)) {
    problem.block_bytes = block_bytes;
  }
  if (shared_blocks && !has_pair_counts(collective))
    refuse(fmt::format("{} has no blocks for several targets; --shared-blocks is for alltoallv", quadrille::name(collective)));
  if (shared_blocks) problem = with_shared_blocks(pattern ? with_longest_counts(problem) : problem);
  problem.root = root_rank;
  if (grid) problem.grid = sides_of_grid();
  if (nodes || node_sizes) {
    problem.nodes = placement();
    if (size(problem.nodes) != rank_count)
      refuse(fmt::format("the nodes '{}' hold {}, not {}", nodes ? *nodes : *node_sizes, counted(problem.nodes.size(), "rank"),
                         rank_count));
  }
  problem = with_network(std::move(problem));
  check(problem);
  return problem;
}

Problem ProblemOptions::with_network(Problem problem) const {
  const auto links = network();
  if (!links) return problem;
  if (links->ranks() != problem.ranks)
    refuse(fmt::format("the topology '{}' has {}, not {}", *topology, counted(links->ranks(), "rank"), problem.ranks));
  if (problem.grid.empty()) problem.grid = links->grid();
  if (problem.nodes.empty()) problem.nodes = links->nodes();
  return problem;
}

std::vector<Problem> ProblemOptions::problems(Collective collective) const {
  std::vector<Problem> list;
  const auto sizes = block_sizes();
  for (const Count rank_count : rank_counts(0))
    for (const Bytes size : sizes)
      for (const Rank root_rank : roots(collective, rank_count)) list.push_back(problem(collective, rank_count, size, root_rank));
  return list;
}

TableCell block_cell(const Problem& problem) {
  if (!moves_data(problem.collective)) return "–";
  return Sizes{sizes_of(problem)};
}

}  // namespace quadrille::command

// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/forms/json_head.hpp"

#include <fmt/ranges.h>

#include "foundation/text/printable.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

constexpr std::string_view a_size = "a number of bytes";

void expect_size(const JsonValue& list, Count wanted, std::string_view of_what) {
  if (static_cast<Count>(list.size()) != wanted) list.expected(fmt::format("an array of {} {}", wanted, of_what));
}

std::shared_ptr<const std::vector<Bytes>> read_counts(const JsonValue& counts, const Problem& problem) {
  if (!has_pair_counts(problem.collective))
    return std::make_shared<const std::vector<Bytes>>(read_json_sizes(counts, problem.ranks));
  expect_size(counts, problem.ranks, "rows, one for each rank");
  auto matrix = std::make_shared<std::vector<Bytes>>();
  counts.for_each([&](const JsonValue& row) {
    const std::vector<Bytes> sizes = read_json_sizes(row, problem.ranks);
    matrix->insert(matrix->end(), sizes.begin(), sizes.end());
  });
  return matrix;
}

Collective read_collective(const JsonValue& word) {
  if (const auto collective = collective_named(word.text("the name of a collective"))) return *collective;
  std::vector<std::string_view> known;
  for (const Collective collective : all_collectives()) known.push_back(name(collective));
  word.expected(fmt::format("a collective ({})", fmt::join(known, ", ")));
}

Problem read_problem(const JsonValue& document) {
  Problem problem;
  problem.collective = read_collective(document.key("collective"));
  problem.ranks = document.key("ranks").integer("a number of ranks", 1);
  if (is_irregular(problem.collective))
    problem.counts = read_counts(document.key("counts"), problem);
  else if (has_blocks(problem.collective))
    problem.block_bytes = document.key("block_bytes").integer(a_size, 0);
  if (is_rooted(problem.collective)) problem.root = document.key("root").integer("a rank", 0, problem.ranks - 1);
  if (is_reduction(problem.collective)) {
    if (const auto size = document.find("element_bytes")) problem.element_bytes = size->integer(a_size, 1);
    const auto commutative = document.find("commutative");
    problem.commutative = commutative && commutative->boolean();
    const auto reproducible = document.find("reproducible");
    problem.reproducible = reproducible && reproducible->boolean();
  }
  if (const auto nodes = document.find("nodes")) {
    expect_size(*nodes, problem.ranks, "numbers, one for each rank");
    nodes->for_each([&](const JsonValue& node) { problem.nodes.push_back(node.integer("a node")); });
  }
  if (const auto grid = document.find("grid"))
    grid->for_each([&](const JsonValue& side) { problem.grid.push_back(side.integer("a side", 1)); });
  check(problem);
  return problem;
}

Parameters read_parameters(const JsonValue& object) {
  if (!object.value().is_object()) object.expected("an object");
  Parameters parameters;
  for (const auto& [name, value] : object.value().items()) {
    if (value.is_structured()) object.refuse(fmt::format("expected a number or a word for '{}'", excerpt(name)));
    if (is_int64(value))
      parameters[name] = value.get<Count>();
    else
      parameters[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return parameters;
}

void write_counts(Printer& out, const Problem& problem) {
  if (!has_pair_counts(problem.collective)) return out.print(",\n\"counts\": [{}]", fmt::join(*problem.counts, ", "));
  out.print(",\n\"counts\": [");
  for (Rank from = 0; from < problem.ranks; ++from)
    out.print("{}  [{}]", from == 0 ? "\n" : ",\n", fmt::join(Traffic(problem).row(from), ", "));
  out.print("]");
}

}  // namespace

void write_json_head(Printer& out, const JsonHead& head) {
  const Problem& problem = head.problem;
  const std::string algorithm = json_string(head.algorithm);
  std::string parameters;
  for (const auto& [key, value] : head.parameters) {
    const std::string* word = std::get_if<std::string>(&value);
    parameters +=
        fmt::format("{}{}: {}", parameters.empty() ? "" : ", ", json_string(key), word ? json_string(*word) : to_string(value));
  }
  out.print(",\n\"collective\": \"{}\",\n\"algorithm\": {},\n\"parameters\": {{{}}},\n\"ranks\": {}", name(problem.collective),
            algorithm, parameters, problem.ranks);
  if (is_irregular(problem.collective))
    write_counts(out, problem);
  else if (has_blocks(problem.collective))
    out.print(",\n\"block_bytes\": {}", problem.block_bytes);
  if (is_reduction(problem.collective))
    out.print(",\n\"element_bytes\": {},\n\"commutative\": {}{}", problem.element_bytes, problem.commutative,
              problem.reproducible ? ",\n\"reproducible\": true" : "");
  if (is_rooted(problem.collective)) out.print(",\n\"root\": {}", problem.root);
  if (!problem.nodes.empty()) out.print(",\n\"nodes\": [{}]", fmt::join(problem.nodes, ", "));
  if (!problem.grid.empty()) out.print(",\n\"grid\": [{}]", fmt::join(problem.grid, ", "));
}

JsonHead read_json_head(const JsonValue& document) {
  JsonHead head{.problem = read_problem(document)};
  if (const auto algorithm = document.find("algorithm")) head.algorithm = algorithm->text();
  if (const auto parameters = document.find("parameters")) head.parameters = read_parameters(*parameters);
  return head;
}

Region read_json_region(const JsonValue& region) {
  if (region.size("a region, [buffer, offset, length]") != 3) region.expected("a region, [buffer, offset, length]");
  const JsonValue word = region.entry(0);
  const std::string& buffer_name = word.text("a buffer (input, output, scratch)");
  const Bytes offset = region.entry(1).integer("an offset");
  const Bytes length = region.entry(2).integer("a length", 0);
  for (const Buffer buffer : {Buffer::input, Buffer::output, Buffer::scratch})
    if (name(buffer) == buffer_name) return {buffer, offset, length, {}};
  word.expected("a buffer (input, output, scratch)");
}

std::vector<Bytes> read_json_sizes(const JsonValue& list, Count ranks) {
  expect_size(list, ranks, "numbers, one for each rank");
  std::vector<Bytes> sizes;
  list.for_each([&](const JsonValue& size) { sizes.push_back(size.integer(a_size, 0)); });
  return sizes;
}

}  // namespace quadrille

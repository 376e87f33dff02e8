// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/forms/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "foundation/text/printable.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/error.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

using nlohmann::json;

// Builds the tree from the events of the JSON library's streaming parser. The library's own tree parser accepts any
// depth, and filtering with its callbacks takes time that is quadratic in the length of a list.
class TreeBuilder final : public json::json_sax_t {
 public:
  json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(json::number_integer_t value) override { return add(value); }
  bool number_unsigned(json::number_unsigned_t value) override { return add(value); }
  bool number_float(json::number_float_t value, const json::string_t&) override { return add(value); }
  bool string(json::string_t& value) override { return add(std::move(value)); }
  bool binary(json::binary_t&) override { return false; }  // JSON text has no binary values
  bool key(json::string_t& name) override {
    if (open_.back()->contains(name))
      throw Error(ErrorCode::malformed, fmt::format("{}: expected each key once, found a second '{}'", place(), excerpt(name)));
    return value_ = &(*open_.back())[name], true;
  }

  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return open_.pop_back(), true; }
  bool end_array() override { return open_.pop_back(), true; }

  bool parse_error(std::size_t, const std::string&, const json::exception& error) override {
    std::string_view reason = error.what();
    if (const auto bracket = reason.find("] "); bracket != std::string_view::npos) reason.remove_prefix(bracket + 2);
    constexpr std::string_view preamble = "parse error at ";
    if (reason.starts_with(preamble)) reason.remove_prefix(preamble.size());
    throw Error(ErrorCode::malformed, fmt::format("the document is not JSON: {}", excerpt(reason, 200)));
  }

 private:
  // Returns the place of the innermost open array or object, written as JsonValue writes it.
  std::string place() const {
    std::string path;
    for (std::size_t level = 1; level < open_.size(); ++level) {
      const json& outer = *open_[level - 1];
      if (outer.is_array()) {
        path += fmt::format("[{}]", outer.size() - 1);
        continue;
      }
      const auto& entries = outer.get_ref<const json::object_t&>();
      const auto here =
          std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return &entry.second == open_[level]; });
      path += fmt::format("{}{}", path.empty() ? "" : ".", excerpt(here->first));
    }
    return path.empty() ? "the document" : path;
  }

  // Stores a value where the next value belongs: as the root, at the end of the open array, or under the key that was read last.
  json& place(json&& value) {
    if (open_.empty()) return root_ = std::move(value);
    if (open_.back()->is_object()) return *value_ = std::move(value);
    open_.back()->push_back(std::move(value));
    return open_.back()->back();
  }

  bool add(json value) { return place(std::move(value)), true; }

  bool open(json container) {
    if (open_.size() == most_json_depth)
      throw Error(ErrorCode::malformed, fmt::format("the document has arrays and objects nested {} deep; the limit is {}",
                                                    most_json_depth + 1, most_json_depth));
    open_.push_back(&place(std::move(container)));
    return true;
  }

  json root_;
  std::vector<json*> open_;  // arrays and objects that are still open, outermost first
  json* value_ = nullptr;    // the value of the key that was read last
};

// Returns a scalar as JSON, but an array or object only in words, because it may be too deep to print.
std::string shown(const nlohmann::json& value) {
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  if (value.is_object()) return "an object";
  if (value.is_string()) return fmt::format("'{}'", excerpt(value.get_ref<const std::string&>()));
  return value.dump();
}

}  // namespace

json json_tree(std::string_view text) {
  TreeBuilder builder;
  json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

bool is_int64(const nlohmann::json& value) {
  return value.is_number_integer() && !(value.is_number_unsigned() && value.get<std::uint64_t>() >> 63 != 0);
}

std::string JsonValue::place() const {
  const std::string before = parent_ ? parent_->place() : "";
  if (!parent_) return before;
  if (name_.empty()) return fmt::format("{}[{}]", before, index_);
  return fmt::format("{}{}{}", before, before.empty() ? "" : ".", name_);
}

void JsonValue::refuse(std::string_view sentence) const {
  const std::string where = place();
  throw Error(ErrorCode::malformed, fmt::format("{}: {}", where.empty() ? "the document" : where, sentence));
}

void JsonValue::expected(std::string_view wanted) const { refuse(fmt::format("expected {}, found {}", wanted, shown(value_))); }

std::optional<JsonValue> JsonValue::find(std::string_view name) const& {
  if (!value_.is_object()) expected("an object");
  const auto found = value_.find(name);
  if (found == value_.end()) return std::nullopt;
  return JsonValue{*found, this, name, 0};
}

JsonValue JsonValue::key(std::string_view name) const& {
  if (const auto found = find(name)) return *found;
  refuse(fmt::format("expected a key '{}', found none", name));
}

std::size_t JsonValue::size(std::string_view what) const {
  if (!value_.is_array()) expected(what);
  return value_.size();
}

const std::string& JsonValue::text(std::string_view what) const {
  if (!value_.is_string()) expected(what);
  return value_.get_ref<const std::string&>();
}

bool JsonValue::boolean() const {
  if (!value_.is_boolean()) expected("true or false");
  return value_.get<bool>();
}

std::int64_t JsonValue::integer(std::string_view what, std::int64_t least, std::int64_t most) const {
  constexpr auto top = std::numeric_limits<std::int64_t>::max();
  if (is_int64(value_))
    if (const auto number = value_.get<std::int64_t>(); number >= least && number <= most) return number;
  if (most < top) expected(fmt::format("{} in {}..{}", what, least, most));
  if (least > std::numeric_limits<std::int64_t>::min()) expected(fmt::format("{} in {}..2^63-1", what, least));
  expected(fmt::format("{} that fits in 64 bits", what));
}

namespace {

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
  word.expected(a_collective());
}

Problem read_problem(const JsonValue& document) {
  Problem problem;
  problem.collective = read_collective(document.key("collective"));
  problem.ranks = document.key("ranks").integer("a number of ranks", 1);
  if (is_irregular(problem.collective))
    problem.counts = read_counts(document.key("counts"), problem);
  else if (has_blocks(problem.collective))
    problem.block_bytes = document.key("block_bytes").integer(a_size, 0);
  if (const auto shared = document.find("shared_blocks"); shared && has_pair_counts(problem.collective) && shared->boolean())
    problem = with_shared_blocks(problem);
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
  out.print("]{}", Traffic(problem).shares_blocks() ? ",\n\"shared_blocks\": true" : "");
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
  out.print(",\n\"collective\": \"{}\",\n\"algorithm\": {},\n\"parameters\": {{{}}}", name(problem.collective), algorithm,
            parameters);
  write_json_sizes(out, problem);
}

void write_json_sizes(Printer& out, const Problem& problem) {
  out.print(",\n\"ranks\": {}", problem.ranks);
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

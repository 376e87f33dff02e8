// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/forms/json_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "foundation/text/printable.hpp"
#include "quadrille/error.hpp"

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

  // Stores a value where the next one belongs: as the root, at the end of the open array, or under the key that was
  // read last.
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

// Returns a scalar as JSON, and of anything else only its kind, because a value may be too deep to print.
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

}  // namespace quadrille

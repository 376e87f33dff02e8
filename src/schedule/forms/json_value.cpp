// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/forms/json_value.hpp"

#include <fmt/format.h>

#include "foundation/text/printable.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

// Returns a scalar as JSON, and of anything else only its kind, because a value may be too deep to print.
std::string shown(const nlohmann::json& value) {
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  if (value.is_object()) return "an object";
  if (value.is_string()) return fmt::format("'{}'", excerpt(value.get_ref<const std::string&>()));
  return value.dump();
}

}  // namespace

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

// SPDX-License-Identifier: BSD-3-Clause
// Checks a document against a JSON schema. Knows the keywords that docs/trace.schema.json uses, and refuses others.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>

namespace quadrille::testing {

class JsonSchema {
 public:
  explicit JsonSchema(nlohmann::json schema) : schema_(std::move(schema)) {}

  // Returns the place of the first violation and the keyword that is violated; empty if there is none.
  std::string first_violation(const nlohmann::json& document) const { return violation(schema_, document, "document"); }

 private:
  using Value = nlohmann::json;

  static bool has_type(const Value& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_number_integer();
    if (type == "boolean") return value.is_boolean();
    throw std::logic_error("unknown type " + type);
  }

  std::string violation(const Value& schema, const Value& value, const std::string& place) const {
    for (const auto& [keyword, argument] : schema.items())
      if (const std::string found = violation(schema, keyword, argument, value, place); !found.empty()) return found;
    return "";
  }

  std::string violation(const Value& schema, const std::string& keyword, const Value& argument, const Value& value,
                        const std::string& place) const {
    static const std::set<std::string> silent{"$schema", "$defs", "title", "description"};
    const auto unless = [&](bool holds) { return holds ? "" : fmt::format("{}: {}", place, keyword); };
    if (silent.contains(keyword)) return "";
    if (keyword == "$ref") return violation(schema_.at("$defs").at(argument.get<std::string>().substr(8)), value, place);
    if (keyword == "type") return unless(has_type(value, argument));
    if (keyword == "const") return unless(value == argument);
    if (keyword == "enum") return unless(std::find(argument.begin(), argument.end(), value) != argument.end());
    if (keyword == "minimum") return unless(!value.is_number() || value >= argument);
    if (keyword == "minItems") return unless(value.size() >= argument);
    if (keyword == "maxItems") return unless(value.size() <= argument);
    if (keyword == "required") {
      if (!value.is_object()) return "";
      for (const auto& key : argument)
        if (!value.contains(key)) return fmt::format("{}: no {}", place, key.get<std::string>());
      return "";
    }
    if (keyword == "properties") {
      if (!value.is_object()) return "";
      for (const auto& [key, its_schema] : argument.items())
        if (value.contains(key))
          if (const std::string found = violation(its_schema, value[key], place + '.' + key); !found.empty()) return found;
      return "";
    }
    if (keyword == "items") {
      if (!value.is_array()) return "";
      for (std::size_t i = 0; i < value.size(); ++i)
        if (const std::string found = violation(argument, value[i], fmt::format("{}[{}]", place, i)); !found.empty()) return found;
      return "";
    }
    if (keyword == "oneOf") {
      int suited = 0;
      for (const auto& alternative : argument) suited += violation(alternative, value, place).empty() ? 1 : 0;
      return unless(suited == 1);
    }
    throw std::logic_error("unknown keyword " + keyword + " in " + schema.dump().substr(0, 80));
  }

  nlohmann::json schema_;
};

}  // namespace quadrille::testing

// SPDX-License-Identifier: BSD-3-Clause
// Builds the tree from the events of the JSON library's streaming parser. The library's own tree parser accepts any
// depth, and filtering with its callbacks takes time that is quadratic in the length of a list.
#include "schedule/forms/json_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "foundation/text/printable.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

using nlohmann::json;

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

}  // namespace

json json_tree(std::string_view text) {
  TreeBuilder builder;
  json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Reads JSON texts into trees of values, which know their places. Also what JSON documents of schedules and of traces share.
#pragma once

#include <nlohmann/json.hpp>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/text/printable.hpp"
#include "quadrille/schedule.hpp"
#include "quadrille/types.hpp"
#include "schedule/forms/document.hpp"

namespace quadrille {

// Reading JSON, in one pass and with a limit on the depth.

// A region of a message of a round, in an array of documents, is 10 levels deep. Unknown keys may be deeper.
inline constexpr std::size_t most_json_depth = 64;

// Throws Error{malformed} with the place if `text` is not JSON, is deeper than `most_json_depth`, or has the same key
// twice in an object.
nlohmann::json json_tree(std::string_view text);

bool is_int64(const nlohmann::json& value);

// A value of a JSON document together with its place, so that errors name the place:
// "stages[1].rounds[0].messages[2].from: expected a rank in 0..4, found 7". The place is only built when an error is
// reported.
class JsonValue {
 public:
  explicit JsonValue(const nlohmann::json& root) : value_(root) {}

  // A child points to its parent, so the parent must be a named variable that outlives the child.
  JsonValue entry(std::size_t index) const& { return {value_[index], this, {}, index}; }
  JsonValue key(std::string_view name) const&;  // throws if there is no such key
  std::optional<JsonValue> find(std::string_view name) const&;
  JsonValue entry(std::size_t) const&& = delete;
  JsonValue key(std::string_view) const&& = delete;
  std::optional<JsonValue> find(std::string_view) const&& = delete;

  bool is_array() const { return value_.is_array(); }
  bool is_string() const { return value_.is_string(); }
  const nlohmann::json& value() const { return value_; }

  std::size_t size(std::string_view what = "an array") const;  // of an array; throws for other values
  const std::string& text(std::string_view what = "a string") const;
  bool boolean() const;
  // Returns an integer in least .. most, or throws. `what` describes it in the error: "a rank", "a number of bytes".
  std::int64_t integer(std::string_view what, std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;

  template <class Visit>
  void for_each(Visit&& visit) const {
    const std::size_t count = size();
    for (std::size_t index = 0; index < count; ++index) visit(entry(index));
  }

  // Throws Error{malformed}: "<place>: expected <wanted>, found <this value>".
  [[noreturn]] void expected(std::string_view wanted) const;
  // Throws Error{malformed}: "<place>: <sentence>".
  [[noreturn]] void refuse(std::string_view sentence) const;

 private:
  JsonValue(const nlohmann::json& value, const JsonValue* parent, std::string_view name, std::size_t index)
      : value_(value), parent_(parent), name_(name), index_(index) {}
  std::string place() const;

  const nlohmann::json& value_;
  const JsonValue* parent_ = nullptr;
  std::string_view name_;  // empty for an entry of an array
  std::size_t index_ = 0;
};

// What JSON documents of schedules and of traces share: the keys with which they begin, lists of sizes, and regions.

struct JsonHead {
  Problem problem;
  std::string algorithm;
  Parameters parameters;
};

// Writes a comma, and the keys from `collective` on. Throws Error{malformed} if a name is not UTF-8.
void write_json_head(Printer& out, const JsonHead& head);

// Writes a comma, and the keys of the problem from `ranks` on.
void write_json_sizes(Printer& out, const Problem& problem);

// Reads the keys that write_json_head writes; the algorithm and its parameters may be missing. Throws Error{malformed}, and
// Error{misuse, too_large} like `check`.
JsonHead read_json_head(const JsonValue& document);

// Reads sizes in bytes, one for each rank.
std::vector<Bytes> read_json_sizes(const JsonValue& list, Count ranks);

// Reads [buffer, offset, length].
Region read_json_region(const JsonValue& region);

// Parses a text that holds one document or an array of them, and returns what `read` makes of each. `what` names a document in the
// error for an empty array. Throws Error{malformed}.
template <class Read>
auto read_json_documents(std::string_view text, std::string_view what, Read&& read) {
  const nlohmann::json root = json_tree(text);
  const JsonValue value(root);
  std::vector<decltype(read(value))> list;
  if (!value.is_array()) {
    list.push_back(read(value));
    return list;
  }
  if (value.size() == 0) value.refuse(fmt::format("an empty array holds no {}", what));
  value.for_each([&](const JsonValue& document) { list.push_back(read(document)); });
  return list;
}

}  // namespace quadrille

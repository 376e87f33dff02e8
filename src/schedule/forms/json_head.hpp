// SPDX-License-Identifier: BSD-3-Clause
// What JSON documents of schedules and of traces share: the keys with which they begin, lists of sizes, and regions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/text/printable.hpp"
#include "quadrille/schedule.hpp"
#include "schedule/forms/document.hpp"
#include "schedule/forms/json_value.hpp"

namespace quadrille {

struct JsonHead {
  Problem problem;
  std::string algorithm;
  Parameters parameters;
};

// Writes a comma, and the keys from `collective` on. Throws Error{malformed} if a name is not UTF-8.
void write_json_head(Printer& out, const JsonHead& head);

// Reads the same keys; the algorithm and its parameters may be missing. Throws Error{malformed}, and Error{misuse, too_large} like
// `check`.
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

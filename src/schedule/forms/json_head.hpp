// SPDX-License-Identifier: BSD-3-Clause
// What JSON documents of schedules and of traces share: the keys with which they begin, lists of sizes, and regions.
#pragma once

#include <string>
#include <vector>

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

}  // namespace quadrille

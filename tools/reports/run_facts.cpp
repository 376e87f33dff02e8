// SPDX-License-Identifier: BSD-3-Clause
#include "reports/run_facts.hpp"

#include <chrono>

#include "foundation/system/proc.hpp"
#include "support/build.hpp"

namespace quadrille::command {
namespace {

constexpr std::size_t most_command_bytes = 1000;

}  // namespace

std::int64_t unix_seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void add_run_facts(Json& results, const Machine& machine, std::int64_t start_unix_s) {
  results["machine"] = to_json(machine);
  results["host"] = host_name();
  results["start_unix_s"] = start_unix_s;
  results["command"] = own_command_line(most_command_bytes);
  results["version"] = version;
}

}  // namespace quadrille::command

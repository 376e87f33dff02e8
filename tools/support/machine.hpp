// SPDX-License-Identifier: BSD-3-Clause
// The machine that this process runs on, as hwloc sees it.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille::command {

struct Cache {
  int level = 0;
  Bytes bytes = 0;
  int count = 0;
};

struct Machine {
  std::string model;  // of the processor; empty if unknown
  int packages = 0, cores = 0, threads = 0;
  Bytes memory_bytes = 0;     // memory that this process may use
  std::vector<Cache> caches;  // data and unified caches, innermost first
};

Machine this_machine();
std::string to_string(const Machine& machine);  // one line
nlohmann::ordered_json to_json(const Machine& machine);

}  // namespace quadrille::command

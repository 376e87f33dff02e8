// SPDX-License-Identifier: BSD-3-Clause
#include "support/machine.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "foundation/system/proc.hpp"
#include "problem/limits.hpp"
#include "quadrille/error.hpp"
#include "quadrille/version.hpp"

namespace quadrille::command {
namespace {

std::string processor_model(hwloc_topology_t topology) {
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_MACHINE})
    if (const hwloc_obj_t object = hwloc_get_obj_by_type(topology, type, 0))
      if (const char* model = hwloc_obj_get_info_by_name(object, "CPUModel")) return model;
  return {};
}

constexpr std::size_t most_command_bytes = 1000;

}  // namespace

Machine this_machine() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) throw Error(ErrorCode::environment, "hwloc cannot describe this machine");
  const std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> owner(topology, hwloc_topology_destroy);
  if (hwloc_topology_load(topology) != 0) throw Error(ErrorCode::environment, "hwloc cannot describe this machine");

  Machine machine;
  const auto count = [&](hwloc_obj_type_t type) { return std::max(0, hwloc_get_nbobjs_by_type(topology, type)); };
  machine.model = processor_model(topology);
  machine.packages = count(HWLOC_OBJ_PACKAGE);
  machine.threads = count(HWLOC_OBJ_PU);
  machine.cores = count(HWLOC_OBJ_CORE) > 0 ? count(HWLOC_OBJ_CORE) : machine.threads;
  machine.memory_bytes = usable_memory();
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE})
    if (const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0))
      machine.caches.push_back(
          {static_cast<int>(cache->attr->cache.depth), static_cast<Bytes>(cache->attr->cache.size), count(type)});
  return machine;
}

std::string to_string(const Machine& machine) {
  std::string line = fmt::format("{}, {} core{}", machine.model.empty() ? "unknown processor" : machine.model, machine.cores,
                                 machine.cores == 1 ? "" : "s");
  if (machine.threads != machine.cores) line += fmt::format(" ({} hardware threads)", machine.threads);
  for (const Cache& cache : machine.caches) line += fmt::format(", L{} {} x {}", cache.level, cache.count, bytes_text(cache.bytes));
  return line + fmt::format(", memory {:.1f} GiB", static_cast<double>(machine.memory_bytes) / static_cast<double>(Bytes{1} << 30));
}

Json to_json(const Machine& machine) {
  Json object = MEMBERS_OF(machine, model, packages, cores, threads, memory_bytes);
  object["caches"] = array_of(machine.caches, [](const Cache& cache) { return MEMBERS_OF(cache, level, bytes, count); });
  return object;
}

std::int64_t unix_seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void add_run_facts(Json& results, const Machine& machine, std::int64_t start_unix_s) {
  results["machine"] = to_json(machine);
  results["host"] = host_name();
  results["start_unix_s"] = start_unix_s;
  results["command"] = own_command_line(most_command_bytes);
  results["version"] = quadrille::version();
}

}  // namespace quadrille::command

// SPDX-License-Identifier: BSD-3-Clause
#include "execute/executors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/assert.hpp"
#include "foundation/text/wording.hpp"

namespace quadrille {
namespace {

constexpr ExecutorRow table[] = {
    {.executor = Executor::mpi,
     .name = "mpi",
     .description = "messages of the MPI library",
     .phrase = "by messages",
     .memory = SharedBy::nobody,
     .needs_mpi = true},
    {.executor = Executor::shared,
     .name = "shared",
     .description = "memory that all ranks share",
     .phrase = "by shared memory",
     .memory = SharedBy::all_ranks},
    {.executor = Executor::hybrid,
     .name = "hybrid",
     .description = "shared memory within nodes, messages of the MPI library between them",
     .phrase = "by shared memory within nodes and messages between them",
     .memory = SharedBy::ranks_of_a_node,
     .needs_mpi = true},
};

// Returns why a group does not offer the executor `asked`. `offered` are the group's transports; `own` is the
// transport of the communicator.
std::string why_not(const Transport& own, const std::vector<Transport*>& offered, const ExecutorRow& asked) {
  const ExecutorRow& preferred = row_of(offered.front()->executor());
  if (asked.memory != SharedBy::nobody && preferred.memory == SharedBy::nobody)
    return fmt::format("these ranks do not share memory: {}", own.no_sharing());
  if (asked.memory == SharedBy::all_ranks && preferred.memory == SharedBy::ranks_of_a_node)
    return fmt::format("these ranks do not all share memory; take executor {}", preferred.name);
  if (asked.memory == SharedBy::ranks_of_a_node && preferred.memory == SharedBy::all_ranks)
    return fmt::format("these ranks all share memory; take executor {}", preferred.name);
  return fmt::format("these ranks have no executor {}; take executor {}", asked.name, preferred.name);
}

}  // namespace

std::span<const ExecutorRow> all_executors() { return table; }

const ExecutorRow& row_of(Executor executor) {
  const auto* const row =
      std::find_if(std::begin(table), std::end(table), [&](const ExecutorRow& each) { return each.executor == executor; });
  QUADRILLE_ASSERT(row != std::end(table));
  return *row;
}

std::string_view name(Executor executor) { return executor == Executor::automatic ? "automatic" : row_of(executor).name; }

std::string executor_names() {
  std::vector<std::string_view> names;
  for (const ExecutorRow& row : table) names.push_back(row.name);
  return alternatives(names);
}

std::vector<Executor> executors_of(Communicator& ranks) {
  std::vector<Executor> executors;
  for (const Transport* each : ranks.transport().offered())
    if (row_of(each->executor()).is_automatic) executors.push_back(each->executor());
  return executors;
}

Result<Transport*> transport_for(Transport& own, Executor asked) {
  const std::vector<Transport*> offered = own.offered();
  if (asked == Executor::automatic) return offered.front();
  for (Transport* each : offered)
    if (each->executor() == asked) return each;
  if (asked == Executor::mpi) return &own;
  return cannot(why_not(own, offered, row_of(asked)));
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Makes the groups of execute/, and gives each the function by which its plans choose. So neither the groups nor the plans know how
// algorithms are measured and chosen.
#include "quadrille/groups.hpp"

#include <fmt/format.h>

#include "execute/mpi/plug_ins.hpp"
#include "execute/shared/launch/launch.hpp"
#include "execute/threads/threads.hpp"
#include "execute/transport.hpp"
#include "foundation/assert.hpp"
#include "groups/chooser.hpp"
#include "quadrille/indexed.hpp"
#include "tune/choosing/choosing.hpp"

namespace quadrille {
namespace {

std::unique_ptr<Communicator> choosing(std::unique_ptr<Communicator> group) {
  let_choose(*group);
  return group;
}

// Asserts the properties of a plug-in's group on which the engine relies.
std::unique_ptr<Communicator> plausible(std::unique_ptr<Communicator> group) {
  QUADRILLE_ASSERT(group && group->rank() >= 0 && group->rank() < group->size());
  QUADRILLE_ASSERT(size(group->nodes()) == group->size());
  return group;
}

}  // namespace

void let_choose(Communicator& group) { group.transport().chooser = choose_and_plan; }

void run_threads(Count ranks, const std::function<void(Communicator&)>& body) {
  run_as_threads(ranks, [&](Communicator& group) {
    let_choose(group);
    body(group);
  });
}

std::unique_ptr<Communicator> mpi_world() {
  const TransportChoice choice = choose_transport();
  if (!choice.is_mpi()) throw Error(ErrorCode::misuse, fmt::format("there is no MPI world: {}", choice.reason));
  auto world = plausible(load_to_run(name(choice.transport)).world());
  if (const Count launched = launched_ranks(); launched > 1 && world->size() == 1)
    throw Error(
        ErrorCode::environment,
        fmt::format("the launcher started {} processes, but {} sees only this one ({}); use the launcher of the same MPI library",
                    launched, name(choice.transport), choice.reason));
  return choosing(std::move(world));
}

std::unique_ptr<Communicator> shared_world() { return choosing(join_launched()); }

std::unique_ptr<Communicator> launched_world() {
  return choose_transport().transport == TransportKind::shared ? shared_world() : mpi_world();
}

void run_launched(Count threads, const std::function<void(Communicator&)>& body) {
  if (choose_transport().transport == TransportKind::threads)
    run_threads(threads, body);
  else
    body(*launched_world());
}

std::unique_ptr<Communicator> over_mpi_handle(std::string_view library, const void* handle, std::size_t bytes) {
  return choosing(plausible(load_to_run(library).over(handle, bytes)));
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "support/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "execute/shared/launch/launch.hpp"
#include "foundation/environment.hpp"
#include "foundation/mpi_libraries.hpp"
#include "foundation/text/parsing.hpp"
#include "quadrille/error.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/transports.hpp"
#include "support/executor_option.hpp"
#include "support/exit_codes.hpp"
#include "support/output.hpp"
#include "support/refuse.hpp"
#include "support/talk.hpp"

namespace quadrille::command {
namespace {

constexpr Count most_threads = 1024;
constexpr double for_ever = 1e9;  // seconds

std::optional<Launched> launched_by(const char* rank_name, const char* ranks_name) {
  const auto rank = number_in<Count>(environment_value(rank_name)), ranks = number_in<Count>(environment_value(ranks_name));
  return rank && ranks && 0 <= *rank && *rank < *ranks ? std::optional(Launched{*rank, *ranks}) : std::nullopt;
}

}  // namespace

std::optional<Launched> launched() {
  auto found = launched_by(rank_variable, ranks_variable);
  for (const MpiLibrary& library : mpi_libraries)
    if (!found && library.launcher.size) found = launched_by(library.launcher.rank, library.launcher.size);
  return found;
}

bool joins_launched_ranks(const std::optional<std::string>& executor) {
  return executor != threads_word && choose_transport().transport != TransportKind::threads;
}

std::unique_ptr<Communicator> join_launched_ranks() {
  try {
    return launched_world();
  } catch (const Error&) {
    talk_again();
    throw;
  }
}

bool first_can_write(Communicator& world, const std::optional<std::string>& file) {
  char fine = 1;
  if (world.rank() == 0) {
    try {
      Output{file};
    } catch (const Error& error) {
      complain(error.what());
      fine = 0;
    }
  }
  std::vector<char> all(index(world.size()));
  world.all_gather(&fine, all.data(), 1);
  return all[0] != 0;
}

void check_threads(Count ranks) {
  if (ranks > most_threads)
    refuse(fmt::format("{} ranks are too many for the threads of one process; the limit is {}", ranks, most_threads));
}

std::string stuck(double seconds) {
  return fmt::format(
      "stopped, because there was no progress for {} s: a rank is lost, or a repetition takes longer (then raise --timeout)",
      seconds);
}

int run_watched(Communicator& world, double timeout_seconds, const std::function<int(Watchdog&)>& body, const std::string& kept) {
  const auto give_up = [&](const std::string& sentence) {
    fmt::print(stderr, "quadrille: rank {}: {}\n", world.rank(), sentence);
    world.abort(misused);
  };
  try {
    Watchdog watchdog(world.rank() == 0 ? timeout_seconds : for_ever, [&] { give_up(stuck(timeout_seconds) + kept); });
    return body(watchdog);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::misuse) throw;
    give_up(error.what());
  } catch (const std::exception& error) {
    give_up(error.what());
  }
  return misused;
}

}  // namespace quadrille::command

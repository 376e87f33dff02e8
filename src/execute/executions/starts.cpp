// SPDX-License-Identifier: BSD-3-Clause
#include "execute/executions/starts.hpp"

#include <fmt/format.h>

#include "quadrille/error.hpp"

namespace quadrille {

std::uint32_t Starts::enlist(std::string call) {
  calls_.emplace(++last_, std::move(call));
  return last_;
}

std::string Starts::call_of(std::uint32_t plan) const {
  if (plan == barrier) return "a barrier, or the making of a plan";
  const auto entry = calls_.find(plan);
  return fmt::format("plan {} ({})", plan, entry == calls_.end() ? "destroyed by now" : entry->second);
}

void Starts::throw_forked() {
  throw Error(ErrorCode::misuse, "this process was forked from a rank of the group; only that rank can execute its plans");
}

void Starts::throw_ended() {
  throw Error(ErrorCode::misuse, "MPI has been finalised; make plans and execute them before MPI_Finalize");
}

}  // namespace quadrille

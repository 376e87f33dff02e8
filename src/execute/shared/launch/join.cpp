// SPDX-License-Identifier: BSD-3-Clause
// How a process that `quadrille run` started joins its group.
#include "execute/shared/launch/join.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <string>

#include "execute/shared/head_file.hpp"
#include "execute/shared/launch/launch_variables.hpp"
#include "execute/shared/meet.hpp"
#include "foundation/environment.hpp"
#include "foundation/text/parsing.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

// Returns the number in an environment variable. Throws Error{misuse} unless the variable holds a number >= 0 and nothing else.
template <class Number>
Number number_of(const char* variable) {
  const std::string word = environment_value(variable);
  const auto number = number_in<Number>(word);
  if (!number || *number < 0)
    throw Error(ErrorCode::misuse, fmt::format("{} is '{}', which is not a number; let 'quadrille run' set it", variable, word));
  return *number;
}

}  // namespace

std::unique_ptr<Communicator> join_launched() {
  const auto rank = number_of<Rank>(rank_variable);
  const auto ranks = number_of<Count>(ranks_variable);
  const auto number = number_of<int>(head_variable);
  // Check before using the descriptor: if it is not the head file, it belongs to another part of the program.
  if (rank >= ranks || !is_head_file(number, ranks))
    throw Error(ErrorCode::misuse,
                fmt::format("descriptor {} does not belong to a group of {} with a rank {}, although {}, {} and {} name these; "
                            "start this process by 'quadrille run'",
                            number, counted(ranks, "rank"), rank, head_variable, ranks_variable, rank_variable));
  if (::fcntl(number, F_GETFD) & FD_CLOEXEC)  // the inherited descriptor has no such flag; it is set below
    throw Error(ErrorCode::misuse, "this process has already joined the group that it was started in; a program joins it once");
  ::fcntl(number, F_SETFD, FD_CLOEXEC);
  return meet_at(open_head_file(Descriptor(::dup(number)), ranks), rank, ranks);
}

}  // namespace quadrille

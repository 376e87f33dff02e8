// SPDX-License-Identifier: BSD-3-Clause
// The closed list of reasons why the MPI library runs a call. Reports print their sentences. Nothing here depends on MPI.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "quadrille/indexed.hpp"

namespace quadrille::mpi_face {

enum class Cause : std::uint8_t {
  intercommunicator,
  alone,
  wrong_arguments,
  no_data,
  long_blocks,
  own_operator,
  many_kinds,
  rare,
  not_worth,
  too_dear,
  trying,
  two_worlds,
  no_group,
  chosen,
  slower,
  slower_for_class,
  measured_faster,
  predicted_faster,
  no_contender,
  no_plan,
  own_order,
  too_large,
  many_plans,
  overlapping,
  failed,
  only_observed,
};

constexpr ByEnum<Cause, std::string_view, 26> sentences{{
    "intercommunicator",
    "one rank exchanges with itself",
    "wrong arguments",
    "no data",
    "blocks of more than 1 GiB",
    "an operator or a type of the user's own",
    "too many kinds of calls",
    "called too rarely as yet",
    "a trial would cost more than these calls have taken",
    "a trial would cost more than may be spent as yet",
    "its calls are alternated in a trial",
    "processes of several worlds (MPI_Comm_spawn, MPI_Comm_connect) may run without the drop-in",
    "the ranks cannot form a group",
    "QUADRILLE_CHOOSE says so",
    "Quadrille took longer",
    "Quadrille was not faster for calls of about this size",
    "the MPI library was the fastest in earlier measurements",
    "Quadrille would take longer, by figures measured on this machine",
    "no algorithm of ours applies",
    "no plan could be made",
    "the MPI library pairs blocks of the same two ranks in an order of its own",
    "too large to be tried beside the MPI library's",
    "there are already plans for 128 other kinds of calls",
    "the buffers overlap",
    "it failed",
    "only observed",
}};

constexpr std::string_view sentence(Cause cause) { return sentences[cause]; }

// The reasons of calls that Quadrille never runs, whatever was measured. Those of calls that are only counted come first.
inline const std::vector<std::string_view>& uncovered() {
  static const std::vector<std::string_view> reasons{"nonblocking",
                                                     "persistent",
                                                     sentence(Cause::intercommunicator),
                                                     sentence(Cause::alone),
                                                     sentence(Cause::long_blocks),
                                                     sentence(Cause::own_operator),
                                                     sentence(Cause::many_kinds),
                                                     sentence(Cause::two_worlds),
                                                     sentence(Cause::no_group),
                                                     sentence(Cause::own_order)};
  return reasons;
}

// The reasons of calls that may still be tried, if there are more of them or the run lasts longer.
inline const std::vector<std::string_view>& untried() {
  static const std::vector<std::string_view> reasons{sentence(Cause::rare), sentence(Cause::not_worth), sentence(Cause::too_dear)};
  return reasons;
}

// The sentence for a trial that Quadrille lost: its median time / the MPI library's.
inline std::string lost_by(double ratio) { return fmt::format("Quadrille took {:.2f} times as long", ratio); }

}  // namespace quadrille::mpi_face

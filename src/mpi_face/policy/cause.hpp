// SPDX-License-Identifier: BSD-3-Clause
// The closed list of reasons why the MPI library runs a call. Reports print their sentences. Nothing here depends on MPI.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quadrille::mpi_face {

#define QUADRILLE_CAUSES(ROW)                                                                                   \
  ROW(intercommunicator, "intercommunicator")                                                                   \
  ROW(alone, "one rank exchanges with itself")                                                                  \
  ROW(wrong_arguments, "wrong arguments")                                                                       \
  ROW(no_data, "no data")                                                                                       \
  ROW(long_blocks, "blocks of more than 1 GiB")                                                                 \
  ROW(own_operator, "an operator or a type of the user's own")                                                  \
  ROW(many_kinds, "too many kinds of calls")                                                                    \
  ROW(rare, "rare")                                                                                             \
  ROW(not_worth, "a trial would cost more than these calls have taken")                                         \
  ROW(too_dear, "a trial would cost more than may be spent as yet")                                             \
  ROW(trying, "its calls are alternated in a trial")                                                            \
  ROW(two_worlds, "processes of several worlds (MPI_Comm_spawn, MPI_Comm_connect) may run without the drop-in") \
  ROW(no_group, "the ranks cannot form a group")                                                                \
  ROW(chosen, "QUADRILLE_CHOOSE says so")                                                                       \
  ROW(slower, "Quadrille took longer")                                                                          \
  ROW(slower_for_class, "Quadrille was not faster for calls of about this size")                                \
  ROW(measured_faster, "the MPI library was the fastest in earlier measurements")                               \
  ROW(predicted_faster, "Quadrille would take longer, by figures measured on this machine")                     \
  ROW(no_contender, "no algorithm of ours applies")                                                             \
  ROW(no_plan, "no plan could be made")                                                                         \
  ROW(own_order, "the MPI library pairs blocks of the same two ranks in an order of its own")                   \
  ROW(too_large, "too large to be tried beside the MPI library's")                                              \
  ROW(many_plans, "there are already plans for 128 other kinds of calls")                                       \
  ROW(overlapping, "the buffers overlap")                                                                       \
  ROW(failed, "it failed")                                                                                      \
  ROW(only_observed, "only observed")                                                                           \
  ROW(lost_before, "Quadrille was not faster in an earlier run")                                                \
  ROW(device_memory, "buffers may lie in a GPU's memory (QUADRILLE_GPU_MEMORY)")

enum class Cause : std::uint8_t {
#define QUADRILLE_CAUSE(cause, sentence) cause,
  QUADRILLE_CAUSES(QUADRILLE_CAUSE)
#undef QUADRILLE_CAUSE
};

inline constexpr std::string_view sentences[]{
#define QUADRILLE_CAUSE(cause, sentence) sentence,
    QUADRILLE_CAUSES(QUADRILLE_CAUSE)
#undef QUADRILLE_CAUSE
};
#undef QUADRILLE_CAUSES

constexpr std::string_view sentence(Cause cause) { return sentences[static_cast<std::size_t>(cause)]; }

// The reasons for calls that Quadrille never runs, whatever was measured. Reasons for calls that are only counted come first.
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
                                                     sentence(Cause::device_memory),
                                                     sentence(Cause::own_order)};
  return reasons;
}

// The reasons for calls that Quadrille may still try, if more of them come or the run lasts longer.
inline const std::vector<std::string_view>& untried() {
  static const std::vector<std::string_view> reasons{sentence(Cause::rare), sentence(Cause::not_worth), sentence(Cause::too_dear)};
  return reasons;
}

// The beginning of the reason for a way that earlier runs found; their number follows.
inline constexpr std::string_view learned_from = "it won in";

// The sentence for a trial that Quadrille lost: its median time / the MPI library's.
inline std::string lost_by(double ratio) { return fmt::format("Quadrille took {:.2f} times as long", ratio); }

}  // namespace quadrille::mpi_face

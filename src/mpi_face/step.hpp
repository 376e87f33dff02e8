// SPDX-License-Identifier: BSD-3-Clause
// What rank 0 tells the ranks of a communicator to do next, by one broadcast.
#pragma once

#include <cstdint>
#include <type_traits>

#include "mpi_face/policy/alternation.hpp"
#include "mpi_face/policy/cause.hpp"

namespace quadrille::mpi_face {

struct Step {
  enum class What : std::int32_t {
    nothing,       // the meeting is over
    wishes,        // `number` bytes follow: the texts of the user's wishes
    time_call,     // time a short call
    group,         // make the group
    obey,          // follow the user's rule for the site
    admit,         // run the site by the best known plan, without a trial
    leave,         // leave the site to the MPI library, for `cause`
    take,          // run the site by the named way, which was the fastest in an earlier trial
    try_in_loop,   // hold a trial of at most `number` calls together
    try_in_place,  // begin a trial of at most `number` contenders
    conclude,      // go on with, or end, a trial in place
    tune,          // race candidates for the site
    host,          // let guests meet (guests.hpp)
  };
  What what = What::nothing;
  std::uint32_t site = 0;  // Site::number
  std::int32_t number = 0;
  Cause cause{};
  Alternation::Conclusion conclusion;
  double cost_s = 0;  // what the step is expected to cost; 0 if the user has asked for it
  double allowance_s = 0;
  std::uint64_t next_meeting = 0;  // with `nothing`: the call in which the ranks meet next; 0: the next call 2^k
  std::int32_t policy = 0, executor = 0, buffers = 0;
  char algorithm[192] = "";
};
static_assert(std::is_trivially_copyable_v<Step>);

}  // namespace quadrille::mpi_face

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/watch/reasons.hpp"

#include <gtest/gtest.h>

#include "mpi_face/watch/planted_run.hpp"

namespace quadrille::mpi_face {
namespace {

using namespace testing;  // NOLINT

TEST(MessageTags, DoesNotNameTagsThatMayHaveBeenReceived) {
  // Of rank 0's calls, only the last are known. The one that received tag 8 is not.
  PlantedRun run(3);
  run.made(1, message("Send", 0, 8, "a.c:1"));
  run.at(1).calls.back().begun_ticks = 1000;
  for (std::uint64_t i = 0; i < 16; ++i) {
    run.made(0, message("Recv", 2, 9, "a.c:2"));
    run.at(0).calls.back().begun_ticks = 1001 + i;
  }
  run.in(0, message("Recv", 1, 7, "a.c:3"));
  run.at(0).calls.back().begun_ticks = 2000;
  EXPECT_EQ(verdict_on(run).find("tag 8"), std::string::npos);
  run.at(1).calls.back().begun_ticks = 1500;  // it was sent later
  EXPECT_NE(verdict_on(run).find("rank 1 has sent tag 8, not 7"), std::string::npos);
  run.at(1).host = "other";  // with another clock
  EXPECT_EQ(verdict_on(run).find("tag 8"), std::string::npos);
  // The message may be the one that Mrecv, or a persistent request, has received.
  for (const char* function : {"Mrecv", "Imrecv", "Recv_init"}) {
    run = PlantedRun(2);
    run.made(1, message("Send", 0, 8, "a.c:1"));
    run.made(0, message(function, -1, -1, "a.c:2"));
    run.in(0, message("Recv", 1, 7, "a.c:3"));
    EXPECT_EQ(verdict_on(run).find("tag 8"), std::string::npos);
  }
}

}  // namespace
}  // namespace quadrille::mpi_face

// SPDX-License-Identifier: BSD-3-Clause
// What ranks are told when a call is refused.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "quadrille/error.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::testing {

// Runs the call on p ranks, and returns the error sentence that each rank gets.
inline std::vector<std::string> told(Count p, const std::function<void(Communicator&)>& call) {
  std::vector<std::string> said(index(p));
  try {
    run_threads(p, [&](Communicator& ranks) {
      try {
        call(ranks);
      } catch (const Error& error) {
        said[index(ranks.rank())] = error.what();
        if (error.code() != ErrorCode::misuse) said[index(ranks.rank())] += " (no misuse)";
      }
    });
  } catch (const Error&) {  // peer_lost: the other ranks have left the call
  }
  return said;
}

inline std::string told_to_all(Count p, const std::function<void(Communicator&)>& call) {
  const std::vector<std::string> said = told(p, call);
  for (const std::string& each : said) EXPECT_EQ(each, said[0]);
  return said[0];
}

}  // namespace quadrille::testing

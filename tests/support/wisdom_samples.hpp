// SPDX-License-Identifier: BSD-3-Clause
// Samples of wisdom for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "quadrille/wisdom.hpp"

namespace quadrille::testing {

inline const Fingerprint machine{"AMD EPYC 7763 64-Core Processor", 8, "none", "Open MPI 4.1.4"};

inline Situation situation(Bytes bytes, Count ranks, Collective collective = Collective::alltoall) {
  return {.collective = collective, .ranks = ranks, .ranks_of_node = ranks, .block_bytes = bytes};
}

inline WisdomEntry entry(const std::string& algorithm, double microseconds, Executor executor = Executor::shared,
                         Collective collective = Collective::alltoall) {
  return {{.algorithm = parse_candidate(collective, algorithm), .executor = executor},
          {microseconds * 1e-6, microseconds * 0.5e-6, microseconds * 2e-6}};
}

inline WisdomRecord record(const Situation& situation, const std::string& best = "direct", const std::string& date = "2026-11-22") {
  return {.situation = situation,
          .date = date,
          .repetitions = 15,
          .entries = {entry(best, 2, Executor::shared, situation.collective), entry("vendor", 4, Executor::mpi)}};
}

inline ExecutorFit fit(Executor executor, Count ranks, Count nodes) {
  return {.executor = executor,
          .ranks = ranks,
          .nodes = nodes,
          .ranks_of_node = ranks / nodes,
          .coefficients = {{"startup_us", 1.25},
                           {"us_per_byte", 0.0001234},
                           {"node_us_per_byte", 1.5e-5},
                           {"inside_startup_us", 0.5},
                           {"inside_us_per_byte", 2e-4},
                           {"cores", 123457}},
          .error = 0.125,
          .preset = "",
          .date = "2026-11-22"};
}

// Returns wisdom with one entry of each kind that its text form has.
inline Wisdom sample() {
  Wisdom wisdom{machine, {}, {}, {}};
  wisdom.add(record(situation(8, 4), "bruck:radix=4,ports=1"));
  wisdom.add(record(situation(64, 4)));
  WisdomRecord twice{.situation = situation(512, 4)};  // measured in two launches
  for (const char* time : {"12:00:00.000", "13:05:22.123"})
    twice.races.push_back({"2026-11-22", time, 15, 0, {entry("direct", 2), entry("vendor", 4, Executor::mpi)}});
  twice.races[1].others = 1.5;
  wisdom.add(twice);
  WisdomRecord buffered = record(situation(64, 8));
  buffered.entries.push_back(
      {{parse_candidate(Collective::alltoall, "bruck"), Policy::dataflow, 1, Executor::hybrid}, {3e5 * 1e-6, 0, 1e6 * 1e-6}});
  wisdom.add(buffered);
  Situation irregular{.collective = Collective::alltoallv, .ranks = 24, .nodes = 6, .ranks_of_node = 4, .block_bytes = 512};
  irregular.skew = 4;
  irregular.irregularity = 2;
  irregular.sparsity = 2;
  wisdom.add(record(irregular));
  wisdom.add(record({.collective = Collective::alltoallv,
                     .ranks = 24,
                     .nodes = 6,
                     .ranks_of_node = 4,
                     .block_bytes = 512,
                     .counts_known = false}));
  Situation reduction = situation(1024, 4, Collective::allreduce);
  reduction.combining = Combining::fixed_tree;
  wisdom.add(record(reduction));
  wisdom.add(fit(Executor::shared, 4, 1));
  ExecutorFit preset = fit(Executor::mpi, 24, 6);
  preset.preset = "hdr";
  wisdom.add(preset);
  wisdom.add({.collective = Collective::alltoall,
              .ranks = 4,
              .nodes = 1,
              .ranks_of_node = 4,
              .seconds = {{8, 3e-6}, {64, 4e-6}},
              .date = "2026-11-22"});
  return wisdom;
}

inline std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace quadrille::testing

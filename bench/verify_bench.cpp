// SPDX-License-Identifier: BSD-3-Clause
// Measures verifying every radix of Bruck's algorithm on one port. Goal: less than 2 s for 64 ranks.
#include <benchmark/benchmark.h>

#include <string>

#include "quadrille/quadrille.hpp"

namespace quadrille {
namespace {

void verify_all_radices(benchmark::State& state) {
  const Count p = state.range(0);
  const Problem problem = Problem::alltoall(p, 8);
  for (auto _ : state)
    for (Count radix = 2; radix <= p; ++radix)
      if (const auto findings = verify(make_schedule(problem, "bruck:radix=" + std::to_string(radix))); !findings.empty())
        return state.SkipWithError(to_string(findings.front()).c_str());
}
BENCHMARK(verify_all_radices)->Name("verify_all_radices/small")->Arg(8);
BENCHMARK(verify_all_radices)->Arg(64)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quadrille

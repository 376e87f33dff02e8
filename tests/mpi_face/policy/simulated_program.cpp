// SPDX-License-Identifier: BSD-3-Clause
// The programs of the simulated ranks, and the shortest one that shows what is wrong.
#include <fmt/format.h>

#include <cmath>
#include <random>

#include "mpi_face/policy/simulated_ranks.hpp"

namespace quadrille::mpi_face::simulated {

Program program_of(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int most) { return static_cast<int>(random() % static_cast<std::uint64_t>(most)); };
  const auto between = [&](double low, double high) {
    return low * std::pow(high / low, static_cast<double>(random() >> 11) * 0x1p-53);
  };
  Program program{.ranks = 2 + below(4),
                  .communicators = {},
                  .calls = {},
                  .skew_s = {},
                  .names_many = below(40) == 0,
                  .admits_at_once = below(8) == 0,
                  .has_ranks_ahead = below(2) == 0};
  const std::string rule = program.names_many ? "allreduce=bruck" : below(8) == 0 ? "allreduce:8-64=bruck" : "";
  const int percent = below(4) == 0 ? 1 + below(50) : 0;
  program.wishes = text_of_wishes(rule, percent > 0 ? fmt::format("run:{}%", percent) : "");
  program.tune_share = percent / 100.0;
  program.pause_s = between(1e-5, 1e-1);
  if (below(4) == 0) program.mortal = below(program.ranks);
  program.steps_of_mortal = static_cast<int>(between(1, 2000));
  program.reports_end = below(2) == 0;
  for (int rank = 0; rank < program.ranks; ++rank) program.skew_s.push_back(below(2) ? 0 : between(1e-6, 0.1));
  const int communicators = 1 + below(3);
  for (int i = 0; i < communicators; ++i) {
    CommunicatorOfProgram communicator{.members = {}, .kinds = {}, .has_group = below(10) > 0};
    for (int rank = 0; rank < program.ranks; ++rank)
      if (i == 0 || below(3) > 0) communicator.members.push_back(rank);
    if (communicator.members.size() < 2) communicator.members = {0, program.ranks - 1};
    communicator.group_s = between(1e-5, 2e-3), communicator.plan_s = between(1e-5, 1e-2);
    const bool is_named = program.names_many && i == 0;
    const int kinds = is_named ? 140 : 1 + below(4);
    const bool synchronises = i == 0 || below(3) > 0;
    communicator.is_elastic = below(2) == 0;
    for (int k = 0; k < kinds; ++k) {
      KindOfProgram kind{.key = {.block_bytes = Bytes{8} << below(20), .function = Function::Allreduce}};
      kind.key.counts = static_cast<std::uint64_t>(k);
      if (below(2) == 0) kind.key.counts = 0, kind.key.block_bytes = 512 - k;  // kinds of one class
      kind.synchronises = is_named || (synchronises && (k == 0 || below(3) > 0));
      kind.root = communicator.members[static_cast<std::size_t>(below(static_cast<int>(communicator.members.size())))];
      if (!kind.synchronises) kind.key.function = below(2) ? Function::Gatherv : Function::Bcast;
      kind.vendor_s = between(1e-6, 2e-2), kind.ours_s = kind.vendor_s * between(0.3, 2.0);
      kind.has_plan = is_named || below(10) > 0;
      communicator.kinds.push_back(kind);
    }
    program.communicators.push_back(std::move(communicator));
  }
  const int calls = 100 + (below(8) == 0 ? below(3000) : below(400));
  for (int i = 0; i < calls; ++i) {
    Call call{.communicator = below(communicators)};
    const CommunicatorOfProgram& communicator = program.communicators[static_cast<std::size_t>(call.communicator)];
    call.kind = below(3) ? 0 : below(static_cast<int>(communicator.kinds.size()));
    const KindOfProgram& kind = communicator.kinds[static_cast<std::size_t>(call.kind)];
    if (!kind.synchronises && below(2)) {
      const int other = communicator.members[static_cast<std::size_t>(below(static_cast<int>(communicator.members.size())))];
      const bool is_gather = kind.key.function == Function::Gatherv;
      if (other != kind.root) call.sender = is_gather ? other : kind.root, call.needs = is_gather ? kind.root : other;
    }
    program.calls.push_back(call);
  }
  // What earlier runs found about some kinds is right or wrong.
  for (const CommunicatorOfProgram& communicator : program.communicators)
    for (const KindOfProgram& kind : communicator.kinds) {
      if (program.names_many || below(3) > 0) continue;
      CallKind earlier;
      earlier.key = kind.key, earlier.calls = static_cast<std::uint64_t>(below(1000)) + 1;
      earlier.mode = below(4) > 0 ? CallKind::Mode::ours : CallKind::Mode::vendor;
      if (earlier.mode == CallKind::Mode::ours) earlier.way = Way{.algorithm = parse_candidate(Collective::alltoall, "bruck")};
      earlier.trials.times = {{between(0.1, 1) * kind.vendor_s}, {kind.vendor_s}};
      const auto ranks = communicator.members.size();
      const auto one = found_in(earlier, static_cast<Count>(ranks), std::vector<Count>(ranks, below(8) == 0 ? 1 : 0));
      if (one) program.found.push_back(*one);
    }
  Findings findings;
  findings.merge(program.found, day_now());
  program.wishes_alone = program.wishes;
  program.wishes = text_of_wishes(rule, percent > 0 ? fmt::format("run:{}%", percent) : "", findings);
  return program;
}

std::string first_violation(std::uint64_t seed, Fault fault, const std::vector<Call>* calls) {
  return Simulation(seed, fault, calls).run();
}

std::string shortest_violation(std::uint64_t seed, Fault fault) {
  std::vector<Call> calls = program_of(seed).calls;
  std::string wrong = first_violation(seed, fault, &calls);
  for (std::size_t size = calls.size() / 2; size > 0; size /= 2)
    for (std::size_t at = 0; at + size <= calls.size();) {
      std::vector<Call> fewer = calls;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at), fewer.begin() + static_cast<std::ptrdiff_t>(at + size));
      const std::string still = first_violation(seed, fault, &fewer);
      if (still.empty())
        at += size;
      else
        calls = std::move(fewer), wrong = still;
    }
  std::string text = fmt::format("{}\nin {} calls (communicator.kind):", wrong, calls.size());
  for (const Call& call : calls) text += fmt::format(" {}.{}", call.communicator, call.kind);
  return text;
}

}  // namespace quadrille::mpi_face::simulated

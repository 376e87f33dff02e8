// SPDX-License-Identifier: BSD-3-Clause
// Counts the figures of a schedule, with one program in memory at a time.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/symmetry.hpp"

namespace quadrille {
namespace {

struct RoundTotals {
  Bytes longest = 0;
  bool has_message = false;
};

Bytes times_checked(Count times, Bytes bytes) {
  constexpr Bytes most = std::numeric_limits<Bytes>::max();
  const Bytes product = times_at_most(times, bytes, most);
  if (product == most)
    throw Error(ErrorCode::too_large, "the control messages of all ranks together reach 2^63 bytes; make the sizes smaller");
  return product;
}

}  // namespace

Figures figures(const Schedule& schedule, bool every_rank) {
  Figures figures;
  std::unordered_map<Count, RoundTotals> rounds;
  const bool counts_control = !moves_data(schedule.problem.collective);
  // Ranks of one orbit have the same figures. Control bytes are a sum and are weighted by the size of the orbit; all
  // other figures are maxima.
  const auto count = [&](const Program& program, Count weight) {
    Count startups = 0;
    Bytes out = 0, in = 0;
    for (const Round& round : program.rounds) {
      const auto sent = static_cast<Count>(round.sends.size() + (counts_control ? round.control_sends.size() : 0));
      const auto received = static_cast<Count>(round.receives.size() + (counts_control ? round.control_receives.size() : 0));
      figures.ports = std::max({figures.ports, sent, received});
      startups += sent;
      RoundTotals* totals = nullptr;
      if (!round.sends.empty() || !round.receives.empty() || (counts_control && !round.control_sends.empty())) {
        totals = &rounds[round.number];
        totals->has_message = true;
      }
      for (const Message& message : round.sends) {
        const Bytes length = bytes(message.regions);
        add_bytes(out, length);
        totals->longest = std::max(totals->longest, length);
      }
      for (const Message& message : round.receives) add_bytes(in, bytes(message.regions));
      for (const Control& control : round.control_sends) add_bytes(figures.control_bytes, times_checked(weight, control.bytes));
    }
    figures.startups = std::max(figures.startups, startups);
    figures.traffic_out = std::max(figures.traffic_out, out);
    figures.traffic_in = std::max(figures.traffic_in, in);
    figures.scratch = std::max(figures.scratch, program.scratch_bytes);
  };

  for_each_program(schedule, !every_rank, [&](const Program& program, Count ranks) { return count(program, ranks), true; });

  for (const auto& [number, totals] : rounds) {
    figures.c1 += totals.has_message ? 1 : 0;
    add_bytes(figures.c2, totals.longest);
  }
  return figures;
}

Bytes output_and_scratch(const Schedule& schedule) {
  Bytes most = 0;
  for_each_program(schedule, /*by_symmetry=*/true, [&](const Program& program, Count) {
    Bytes written = schedule.stated_output_bytes.empty() ? output_bytes(schedule.problem, program.rank)
                                                         : schedule.stated_output_bytes[index(program.rank)];
    add_bytes(written, program.scratch_bytes);
    most = std::max(most, written);
    return true;
  });
  return most;
}

}  // namespace quadrille

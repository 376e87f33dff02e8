// SPDX-License-Identifier: BSD-3-Clause
// The flat model. Under the blocking policy the ranks keep step: a stage takes S T_s + V (t_m + t_c + t_d), with S start-ups and V
// bytes, the longest message of each round. The messages of a window are in flight at the same time (nonblocking), and each rank
// goes at its own pace, but sends, and receives, one message at a time. So a window takes L t_m + max(P T_s, L t_c, X t_d), with
// the P messages and L bytes of the busiest rank, and the X bytes of the longest chain of messages that wait for each other at a
// rank (RoundFigures::chain); if no rank has two messages, all parts are added. A round in which a rank has several messages has
// such chains under all policies. A stage in which no rank passes on what it receives there is one window. Dataflow takes less,
// because the packing of a window overlaps with the one before. If the machine overlaps nothing, all parts are added. Source:
// [liu2002], section 2.3, (1) to (4). X is f_nc_nb L_max there, with a factor that is measured.
#include <algorithm>
#include <cmath>

#include "cost/models/terms.hpp"
#include "quadrille/model.hpp"

namespace quadrille {

namespace {

struct FlatTimes {
  Picoseconds startup = 0;
  ByteTime compose, copy, wire;
  std::optional<double> contention;
  bool overlap = true;

  explicit FlatTimes(const Coefficients& coefficients)
      : startup(time_of(coefficients, "startup_us")),
        compose(byte_time_of(coefficients, "compose_us_per_byte")),
        copy(byte_time_of(coefficients, "copy_us_per_byte")),
        wire(byte_time_of(coefficients, "wire_us_per_byte")),
        overlap(coefficients.at("overlap") != 0) {
    if (const auto found = coefficients.find("contention"); found != coefficients.end()) contention = found->second;
  }

  Charges of_round(const RoundFigures& round) const {
    const Bytes waiting = std::max(round.bytes, round.chain) - round.bytes;
    Charge bytes = bytes_charge(round.bytes, compose + copy + wire);
    add_charge(bytes, bytes_charge(waiting, wire));
    return {startups_charge(round.messages, startup), bytes,
            bytes_charge(std::max<Bytes>(0, round.link_bytes - round.bytes - waiting), wire)};
  }

  Overlapped overlapped(const std::vector<StageFigures>& stages) const {
    std::vector<RoundFigures> windows;
    for (const StageFigures& stage : stages) {
      const std::vector<RoundFigures> own = windows_of({stage});
      for (std::size_t i = 0; i < own.size(); ++i) {
        windows.push_back(own[i]);
        windows.back().chain = bytes_on_wire(own[i], stage, i + 1 < own.size() ? &own[i + 1] : nullptr);
      }
    }
    const auto charges_of = [&](const RoundFigures& window) -> Charges {
      return {startups_charge(window.messages, startup), bytes_charge(window.bytes, compose), bytes_charge(window.bytes, copy),
              bytes_charge(window.chain, wire)};
    };
    const auto is_alone = [](const RoundFigures& window) { return window.messages == 1; };
    return overlap ? overlapped_stages(windows, charges_of, is_alone) : added_stages(windows, charges_of);
  }

  // Returns X. With a contention factor, X is limited to the bytes that the rounds of the window take one after the other.
  Bytes bytes_on_wire(const RoundFigures& window, const StageFigures& stage, const RoundFigures* next) const {
    if (!contention) return std::max({window.bytes, window.chain, window.link_bytes});
    Bytes most = 0;
    for (const RoundFigures& round : stage.rounds)
      if (round.number >= window.number && (!next || round.number < next->number))
        add_bytes(most, std::max(round.bytes, round.link_bytes));
    QUADRILLE_ASSERT(most >= window.bytes);  // all rounds of the window were found
    const double meeting = *contention * static_cast<double>(window.bytes);
    return meeting < static_cast<double>(most) ? static_cast<Bytes>(std::llround(meeting)) : most;
  }
};

Formula flat_formula(const Coefficients& coefficients) {
  const FlatTimes times(coefficients);
  return {.of_round = [times](const RoundFigures& round) { return times.of_round(round); },
          .overlapped = [times](const std::vector<StageFigures>& stages) { return times.overlapped(stages); }};
}

// Of the three parts of a window that overlap the longest counts; under dataflow, also packing overlaps with the window before.
LeastParts flat_least(const Coefficients& coefficients) {
  const FlatTimes times(coefficients);
  constexpr Bytes many = Bytes{1} << 30;
  const auto is_shorter = [](ByteTime a, ByteTime b) { return a.of(many) < b.of(many); };
  const ByteTime longest = std::max({times.compose, times.copy, times.wire}, is_shorter);
  return {times.startup, times.overlap ? longest : times.compose + times.copy + times.wire, !times.overlap};
}

MessageTimes flat_times(const Coefficients& coefficients) {
  const Picoseconds startup = time_of(coefficients, "startup_us");
  const ByteTime copy = ByteTime::of_seconds(seconds(coefficients, "copy_us_per_byte") / 2);
  return {.resources = ResourceTimes{.send_startup = startup / 2,
                                     .receive_startup = startup - startup / 2,
                                     .compose = byte_time_of(coefficients, "compose_us_per_byte"),
                                     .copy_out = copy,
                                     .copy_in = copy,
                                     .wire = byte_time_of(coefficients, "wire_us_per_byte"),
                                     .overlap = coefficients.at("overlap") != 0}};
}

}  // namespace

extern const Model flat_model{
    .id = "flat",
    .formula = "blocking S T_s + V (t_m + t_c + t_d); nonblocking, each stage L t_m + max(P T_s, L t_c, X t_d)",
    .source = "liu2002, section 2.3",
    .coefficients =
        {flat_table::startup,
         flat_table::compose,
         flat_table::copy,
         flat_table::wire,
         {.key = "contention",
          .meaning =
              "factor for the wire, X = f L, because messages for one rank meet when each rank runs at its own pace; without "
              "one, X are the bytes of the longest chain of messages that wait for each other",
          .required = false,
          .least = 1},
         flat_table::overlap},
    .tells_policies_apart = true,
    .prices_windows = true,
    .least_parts = flat_least,
    .terms = {{"start-ups"}, {"bytes", true}, {"more link bytes", true, true}},
    .formula_of = flat_formula,
    .overlapped_terms = parts_of_stages,
    .times_of_message = flat_times,
};

}  // namespace quadrille

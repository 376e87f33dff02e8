// SPDX-License-Identifier: BSD-3-Clause
// Writes wisdom as text.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "foundation/text/printable.hpp"
#include "foundation/text/wording.hpp"
#include "schedule/ordering.hpp"
#include "tune/wisdom/wisdom_format.hpp"

namespace quadrille {
namespace {

using wisdom_format::name;

// Formats a number with four significant digits, without an exponent for large numbers.
std::string four_digits(double value) {
  const std::string text = fmt::format("{:.4g}", value);
  if (value < 1e4) return text;
  double rounded = value;
  std::from_chars(text.data(), text.data() + text.size(), rounded);  // from_chars ignores the program's locale
  return fmt::format("{:.0f}", rounded);
}

std::string microseconds(double seconds) { return four_digits(seconds * 1e6); }

std::string structure_text(Count ranks, Count nodes, Count ranks_of_node) {
  return fmt::format("ranks={} nodes={} ranks_of_node={}", ranks, nodes, ranks_of_node);
}

std::string situation_text(const Situation& s) {
  std::string text =
      fmt::format("{} {} block_bytes={}", name(s.collective), structure_text(s.ranks, s.nodes, s.ranks_of_node), s.block_bytes);
  if (!s.counts_known) text += " counts=own";
  if (s.skew != 1) text += fmt::format(" skew={}", s.skew);
  if (s.sparsity != 1) text += fmt::format(" sparsity={}", s.sparsity);
  if (s.irregularity != 1) text += fmt::format(" irregularity={}", s.irregularity);
  if (s.combining != Combining::any_order) text += fmt::format(" combining={}", name(s.combining));
  return text;
}

void write(Printer& out, const WisdomRecord& record) {
  out.print("\n# speaks for {} to {} bytes, {} to {}", record.least_bytes, record.most_bytes, record.least_ranks,
            counted(record.most_ranks, "rank"));
  if (record.races.size() > 1)
    out.print("; the best of {} races is {}", record.races.size(), to_string(record.entries.front().way));
  out.print("\n");
  for (const WisdomRace& race : record.races) {
    out.print("race {} date={}", situation_text(record.situation), race.date);
    if (!race.time.empty()) out.print(" time={}", race.time);
    out.print(" repetitions={}", race.repetitions);
    if (race.others > 0) out.print(" others={}", four_digits(race.others));
    out.print("\n");
    for (const WisdomEntry& entry : race.entries) {
      out.print("  median_us={} lower_us={} upper_us={} executor={} policy={}", microseconds(entry.timing.median_s),
                microseconds(entry.timing.lower_s), microseconds(entry.timing.upper_s), name(entry.way.executor),
                name(entry.way.policy));
      if (entry.way.buffers != 2) out.print(" buffers={}", entry.way.buffers);
      out.print(" algorithm={}\n", entry.way.algorithm);
    }
  }
}

void write(Printer& out, const ExecutorFit& fit) {
  out.print("\nfit {} {} date={} error={}", name(fit.executor), structure_text(fit.ranks, fit.nodes, fit.ranks_of_node), fit.date,
            four_digits(fit.error));
  if (!fit.preset.empty()) out.print(" preset={}", fit.preset);
  out.print("\n");
  const Model& model = *find_model("max-rate");
  for (const auto& [key, value] : fit.coefficients) {
    const auto coefficient = std::find_if(model.coefficients.begin(), model.coefficients.end(),
                                          [&key = key](const Coefficient& each) { return each.key == key; });
    out.print("  {}={}\n", key, coefficient->is_whole ? fmt::format("{:.0f}", value) : four_digits(value));
  }
}

void write(Printer& out, const VendorFit& fit) {
  out.print("\nvendor {} {} date={}\n", name(fit.collective), structure_text(fit.ranks, fit.nodes, fit.ranks_of_node), fit.date);
  for (const auto& [bytes, seconds] : fit.seconds) out.print("  block_bytes={} time_us={}\n", bytes, microseconds(seconds));
}

}  // namespace

std::string wisdom_text(const Wisdom& wisdom) {
  std::ostringstream text;
  Printer out(text);
  const Fingerprint& machine = wisdom.machine;
  out.print("{}\n# What quadrille has measured on this machine: show it by 'quadrille wisdom show'.\n", wisdom_format::title);
  out.print("algorithms {}\nprocessor {}\ncores {}\nnetwork {}\nmpi {}\n", wisdom_format::table_text(), machine.processor,
            machine.cores, machine.network, machine.mpi);
  for (const WisdomRecord& record : wisdom.records) write(out, record);
  for (const ExecutorFit& fit : wisdom.executors) write(out, fit);
  for (const VendorFit& fit : wisdom.vendor) write(out, fit);
  out.print("\nend\n");  // so that a truncated file is recognised
  out.flush();
  return text.str();
}

}  // namespace quadrille

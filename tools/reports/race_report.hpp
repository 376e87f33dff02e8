// SPDX-License-Identifier: BSD-3-Clause
// The report of a race: a table and a bar chart per size, one line of ratios, one JSON object, or CSV; and the plot.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "foundation/sheet.hpp"
#include "quadrille/race.hpp"
#include "reports/race_plot.hpp"
#include "support/machine.hpp"
#include "support/output.hpp"
#include "support/text.hpp"

namespace quadrille::command {

struct RatioCell {
  std::string size;
  std::string candidate;                // our best candidate; empty if all data were wrong
  double seconds = 0;                   // its time
  std::optional<double> times_as_fast;  // the vendor's time divided by this time, median of the repetitions
  std::string remark;                   // " tied", " noisy" or nothing
};

struct ReportForm {
  bool json = false, csv = false;
  bool bandwidth = false, over_ranks = false;  // optional columns of the table
  std::optional<std::string> plot;             // the plot's file
  std::size_t curves = default_curves;
  bool phases = false;  // also print the time of each phase
  // print only one line: for each size, how many times as fast as the vendor's collective our best candidate is
  bool ratios = false;
};

class RaceReport {
 public:
  RaceReport(const std::optional<std::string>& file, const ReportForm& form, std::string transport, Count ranks,
             const RaceOptions& options);

  void add(const RaceResult& result);  // text for stdout is printed at once
  void finish();
  // Writes the results so far, marked as partial, because a signal has ended the race of `planned` sizes. Any thread may call it.
  // Returns false if the report is finished already.
  bool finish_partly(int signal, std::size_t planned);

 private:
  void write();

  std::mutex mutex_;  // protects all members below
  bool is_finished_ = false;
  std::string partial_;  // why some sizes are missing; empty: none is missing
  std::size_t added_ = 0;
  Output output_;
  std::optional<Output> plot_;
  bool to_file_;
  ReportForm form_;
  std::string transport_;
  Count ranks_;
  RaceOptions options_;
  Machine machine_;
  std::int64_t start_unix_s_;
  Json json() const;

  Json sizes_ = Json::array();
  Sheet sheet_;
  Count nodes_ = 1;
  std::vector<RatioCell> cells_;
  Collective collective_{};
  bool empty_ = true;
};

}  // namespace quadrille::command

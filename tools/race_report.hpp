// SPDX-License-Identifier: BSD-3-Clause
// What a race prints: a table and a bar chart a size, or one line of ratios, or one JSON object, or CSV; and the plot it draws.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json.hpp"
#include "machine.hpp"
#include "output.hpp"
#include "quadrille/race.hpp"
#include "race_plot.hpp"
#include "reproduce/exhibit.hpp"

namespace quadrille::command {

// One size of such a line.
struct RatioCell {
  std::string size;
  std::string candidate;                // the best of ours; empty if all were wrong
  double seconds = 0;                   // its time
  std::optional<double> times_as_fast;  // the vendor's time over it, median of the rounds
  std::string remark;                   // " tied", " noisy" or nothing
};

struct ReportForm {
  bool json = false, csv = false;
  bool bandwidth = false, over_ranks = false;  // columns of the table
  std::optional<std::string> plot;             // a file
  std::size_t curves = default_curves;         // of the plot
  bool phases = false;                         // the text, too, says where the time goes
  bool ratios = false;                         // of every size only how many times faster than the vendor's the best of ours is
};

class Report {
 public:
  Report(const std::optional<std::string>& file, const ReportForm& form, std::string transport, Count ranks,
         const RaceOptions& options);

  void add(const RaceResult& result);  // text for stdout appears at once
  void finish();

 private:
  Output output_;
  std::optional<Output> plot_;
  bool to_file_;
  ReportForm form_;
  std::string transport_;
  Count ranks_;
  RaceOptions options_;
  Machine machine_;
  Json json() const;

  Json sizes_ = Json::array();
  reproduce::Sheet sheet_;
  Count nodes_ = 1;
  std::vector<RatioCell> cells_;
  Collective collective_{};
  bool empty_ = true;
};

}  // namespace quadrille::command

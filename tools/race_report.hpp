// SPDX-License-Identifier: BSD-3-Clause
// What a race prints: a table and a bar chart a size, or one JSON object.
#pragma once

#include <optional>
#include <string>

#include "json.hpp"
#include "machine.hpp"
#include "output.hpp"
#include "quadrille/race.hpp"

namespace quadrille::command {

class Report {
 public:
  // `phases`: the text, too, says where the time goes.
  Report(const std::optional<std::string>& file, bool json, bool phases, std::string transport, Count ranks,
         const RaceOptions& options);

  void add(const RaceResult& result);  // text for stdout appears at once
  void finish();

 private:
  Output output_;
  bool to_file_, json_, phases_;
  std::string transport_;
  Count ranks_;
  RaceOptions options_;
  Machine machine_;
  Json sizes_ = Json::array();
  Collective collective_{};
  bool empty_ = true;
};

}  // namespace quadrille::command

// SPDX-License-Identifier: BSD-3-Clause
// The report of an audit: the violations, worst first, and how many guidelines held; or one JSON object.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/json.hpp"
#include "support/output.hpp"
#include "tune/audit/audit.hpp"

namespace quadrille::command {

class AuditReport {
 public:
  AuditReport(const std::optional<std::string>& file, bool json, double tolerance, std::string transport, Count ranks,
              const AuditOptions& options);

  void add(AuditResult result);
  void finish();

 private:
  void make_remarks() const;
  std::string text() const;
  Json json() const;

  Output output_;
  bool json_;
  double tolerance_;
  std::string transport_;
  Count ranks_;
  AuditOptions options_;
  std::vector<AuditResult> results_;
};

// Returns the table of guidelines as text.
std::string guidelines_text();

}  // namespace quadrille::command

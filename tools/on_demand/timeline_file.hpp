// SPDX-License-Identifier: BSD-3-Clause
// The file of `quadrille project --trace`: for Perfetto, or a page of the viewer.
#pragma once

#include <optional>
#include <string>

#include "on_demand/project_report.hpp"
#include "on_demand/projection_page.hpp"
#include "on_demand/projection_trace.hpp"
#include "quadrille/projection.hpp"
#include "recording/totals.hpp"
#include "support/output.hpp"

namespace quadrille::command {

class TimelineFile {
 public:
  // `window`: seconds of the recorded run, "2..3.5", "2.." or "..3.5"; nothing: all. Throws Error{misuse}.
  TimelineFile(const std::string& file, const std::optional<std::string>& window);

  // Makes the projection tell what it does. Throws Error{misuse} if nothing was recorded in the window.
  void watch(const Recording& recording, const ProjectedSituation& situation, ProjectionOptions& projected);

  // Returns a sentence on what the file has.
  std::string finish(const Projection& projection, const ProjectedSituation& situation);

 private:
  const std::string file_;
  const bool is_page_;
  Output output_;
  recording::RecordedWindow window_;
  std::optional<ProjectionTrace> trace_;
  std::optional<ProjectionPage> page_;
};

}  // namespace quadrille::command

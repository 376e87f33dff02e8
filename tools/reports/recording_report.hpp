// SPDX-License-Identifier: BSD-3-Clause
// What a recording holds, for people.
#pragma once

#include <string>

#include "quadrille/recording.hpp"

namespace quadrille::command {

struct RecordingReportOptions {
  bool full = false;  // all sites and ranks
};

std::string recording_text(const Recording& recording, const RecordingReportOptions& options);

}  // namespace quadrille::command

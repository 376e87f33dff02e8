// SPDX-License-Identifier: BSD-3-Clause
// What a schedule takes on a machine, by the flat model of [liu2002]: a message costs its start-up and a time for each byte,
// whoever sends it to whom.
//
//   FlatModel sp2 = find_machine("sp2");
//   Prediction prediction = predict(stage_figures(make_schedule(problem, "four-stage")), sp2);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

struct FlatModel {
  std::string name, description, source;
  double startup_s = 0;           // T_s, of sending and receiving a message
  double compose_s_per_byte = 0;  // t_m, of putting messages together and taking them apart
  double copy_s_per_byte = 0;     // t_c, to and from the interface
  double wire_s_per_byte = 0;     // t_d
  // How much longer the wire takes for messages that meet at a rank, where everybody goes at their own pace: calibrated. Without
  // it ranks are taken to go in step.
  std::optional<double> contention;
};

// The model in a TOML file:  name, description, source and a table [flat] with startup_us, compose_us_per_byte,
// copy_us_per_byte, wire_us_per_byte and, if it is known, contention. Throws Error{environment, malformed}.
FlatModel read_machine(const std::string& file);

// The machine file that is installed beside the library under this name; or else the file of this path.
// Throws Error{misuse} if there is neither.
FlatModel find_machine(const std::string& name_or_file);
std::vector<std::string> machine_names();  // of those that are installed

// A stage as the model sees it. Control messages are messages.
struct StageFigures {
  std::string name;
  Count startups = 0;  // S: sum over rounds of the most messages that a rank sends, or receives
  Bytes volume = 0;    // V: sum over rounds of the most bytes that a rank sends, or receives
  Bytes load = 0;      // the most bytes that a rank sends, or receives, in the stage
};

// By the representatives of a stated symmetry, as `figures`.
std::vector<StageFigures> stage_figures(const Schedule& schedule);

struct Prediction {
  Count startups = 0;        // S
  Bytes volume = 0;          // V
  double blocking_s = 0;     // S T_s + V (t_m + t_c + t_d)
  double nonblocking_s = 0;  // each stage: V t_m + max(S T_s, V t_c, V t_d)
  double dataflow_s = 0;     // the same, where composing is hidden behind the stage before

  double seconds(Policy policy) const;
};

// With a contention factor f, a stage whose ranks go at their own pace has its load for V, and f times that, but no more than
// V, on the wire.
Prediction predict(const std::vector<StageFigures>& stages, const FlatModel& model);

}  // namespace quadrille

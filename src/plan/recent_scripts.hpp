// SPDX-License-Identifier: BSD-3-Clause
// The scripts that a thread compiled most recently. Some programs split communicators, use each of them once and free it. They make
// the same plan for each communicator, and compiling the script would take most of the time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "execute/script/script.hpp"
#include "execute/transport.hpp"
#include "foundation/lookup.hpp"
#include "plan/request.hpp"

namespace quadrille {

// Everything that a script and its request depend on.
struct ScriptKey {
  // Returns nothing for plans whose scripts are not kept. These are plans with keep_step, and irregular collectives, reductions,
  // layouts and plans in place, whose comparison would take long.
  static std::optional<ScriptKey> of(const Problem& problem, const PlanOptions& options, Rank rank, Transport& transport);
  bool operator==(const ScriptKey& other) const;

  Problem problem;
  std::variant<std::string, Candidate> algorithm;
  Policy policy{};
  int buffers = 0;
  Bytes longest_message = 0;
  Rank rank = 0;
  Executor asked{}, executor{};  // the executor asked for, and the one chosen
  bool strided_messages = false, fuses = false;
  std::vector<Bytes> buffered_bytes;  // by peer
};

struct KnownScript {
  std::string algorithm;  // with all parameters
  bool own_counts = false;
  std::shared_ptr<const Script> script;
  PlanRequest request;
};

using RecentScripts = Recent<ScriptKey, KnownScript, 4>;

bool is_small(const Script& script);  // others are not kept

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/scripted_exchange.hpp"

#include <algorithm>

#include "execute/script/run.hpp"

namespace quadrille {

bool ScriptedExchange::suits(const Script& script, const SharedSpace& space, const CopyCosts& costs) {
  if (space.holds_everything() || script.windows.size() != 1 || !script.nodes.empty() || script.messages.empty()) return false;
  if (script.scratch_bytes + script.staging_bytes > 0) return false;
  return std::all_of(script.messages.begin(), script.messages.end(), [&](const ScriptMessage& message) {
    return message.bytes > costs.longest_twice() && message.effect == Effect::overwrite && !message.overwritten &&
           is_contiguous(message.regions);
  });
}

ScriptedExchange::ScriptedExchange(SharedSpace& space, const CopyCosts& costs, std::shared_ptr<const Script> script)
    : script_(std::move(script)), exchange_(space, costs) {
  for (const ScriptMessage& message : script_->messages)
    if (message.is_send)
      sends_.push_back({message.peer, nullptr, message.bytes});
    else
      receives_.push_back({message.peer, nullptr, message.bytes});
  edges_ = {sends_, receives_};
}

void ScriptedExchange::begin(const std::byte* input, std::byte* output) {
  bases_[Buffer::input] = const_cast<std::byte*>(input);  // never written
  bases_[Buffer::output] = output;
  auto send = sends_.begin();
  auto receive = receives_.begin();
  for (const ScriptMessage& message : script_->messages) {
    const Region& first = message.regions.front();
    std::byte* const memory = bases_[first.buffer] + first.offset;
    (message.is_send ? static_cast<void>((send++)->memory = memory) : static_cast<void>((receive++)->memory = memory));
  }
  run_copies(*script_, script_->windows[0].copies_before, bases_);
  exchange_.begin(reinterpret_cast<const std::byte*>(&edges_), nullptr);
}

bool ScriptedExchange::advance() {
  if (!exchange_.advance()) return false;
  end();
  return true;
}

void ScriptedExchange::finish() {
  exchange_.finish();
  end();
}

void ScriptedExchange::end() { run_copies(*script_, script_->windows[0].copies_after, bases_); }

void ScriptedExchange::execute(const std::byte* input, std::byte* output, Phases* phases) {
  Watch watch(phases);
  begin(input, output);
  finish();
  watch.ends(&Phases::communicate_s);
}

}  // namespace quadrille

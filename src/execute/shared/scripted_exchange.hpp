// SPDX-License-Identifier: BSD-3-Clause
// Runs a script of one window, whose messages are all long and contiguous, as an exchange by edges. The messages of plans copy long
// messages once; an exchange weighs that against pieces in the caches, which take less time on processors whose system call for
// copying from another process is slow.
#pragma once

#include <memory>
#include <vector>

#include "execute/script/script.hpp"
#include "execute/shared/unplanned/exchange.hpp"

namespace quadrille {

class ScriptedExchange final : public Executable {
 public:
  // Can this rank's script run so, and may it gain? All ranks must be asked.
  static bool suits(const Script& script, const SharedSpace& space, const CopyCosts& costs);

  // Collective. Throws as SharedExchange.
  ScriptedExchange(SharedSpace& space, const CopyCosts& costs, std::shared_ptr<const Script> script);

  void execute(const std::byte* input, std::byte* output, Phases* phases) override;
  bool runs_in_parts() const override { return true; }
  void begin(const std::byte* input, std::byte* output) override;
  bool advance() override;
  void finish() override;
  void abandon(const Error& why) noexcept override { exchange_.abandon(why); }
  Bytes memory_bytes() const override { return exchange_.memory_bytes() + memory_bytes_of(sends_, receives_); }

 private:
  void end();

  const std::shared_ptr<const Script> script_;
  SharedExchange exchange_;
  Bases bases_{};
  std::vector<Edges::Send> sends_;        // in the order of the script's messages
  std::vector<Edges::Receive> receives_;  // likewise
  Edges edges_;
};

}  // namespace quadrille

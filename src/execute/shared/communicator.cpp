// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/communicator.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "execute/agreement.hpp"
#include "execute/script/run.hpp"
#include "execute/script/scaled_script.hpp"
#include "execute/shared/memory/shared_memory.hpp"
#include "execute/shared/unplanned/exchange.hpp"

namespace quadrille {
namespace {

// Runs a script of one window, whose messages are all long and contiguous, as an exchange by edges. Plans copy long messages
// once. An exchange may also copy them twice, in pieces that stay in the caches. Two copies take less time where the system call
// that copies from another process is slow.
class ScriptedExchange final : public Executable {
 public:
  // Can this rank's script run as an exchange, and may that be faster? The plan does so only if all ranks return true.
  static bool suits(const Script& script, const SharedSpace& space, const CopyCosts& costs) {
    if (space.holds_everything() || script.windows.size() != 1 || !script.nodes.empty() || script.messages.empty()) return false;
    if (script.scratch_bytes + script.staging_bytes > 0) return false;
    return std::all_of(script.messages.begin(), script.messages.end(), [&](const ScriptMessage& message) {
      return message.bytes > costs.eager_limit() && message.effect == Effect::overwrite && !message.overwritten &&
             is_contiguous(message.regions);
    });
  }

  // Collective. Throws as SharedExchange.
  ScriptedExchange(SharedSpace& space, const CopyCosts& costs, std::shared_ptr<const Script> script)
      : script_(std::move(script)), exchange_(space, costs) {
    for (const ScriptMessage& message : script_->messages)
      if (message.is_send)
        sends_.push_back({message.peer, nullptr, message.bytes});
      else
        receives_.push_back({message.peer, nullptr, message.bytes});
    edges_ = {sends_, receives_};
    const Bytes unit = std::max<Bytes>(script_->capacity, 1);
    for (const ScriptMessage& message : script_->messages)
      places_.push_back(
          {message.regions.front().buffer, of_byte(message.regions.front().offset, unit), of_byte(message.bytes, unit)});
  }

  void execute(const Arguments& arguments, Phases* phases) override {
    Watch watch(phases);
    begin(arguments);
    finish();
    watch.ends(&Phases::communicate_s);
  }
  bool runs_in_parts() const override { return true; }
  void begin(const Arguments& arguments) override {
    bases_[Buffer::input] = const_cast<std::byte*>(arguments.input);  // never written
    bases_[Buffer::output] = arguments.output;
    if (arguments.block_bytes != block_bytes_) script_.scale(block_bytes_ = arguments.block_bytes);
    const Bytes unit = std::max<Bytes>(block_bytes_, 1);
    auto send = sends_.begin();
    auto receive = receives_.begin();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Place& place = places_[i];
      std::byte* const memory = bases_[place.buffer] + place.offset * unit;
      if (script_->messages[i].is_send) {
        send->bytes = place.bytes * unit;
        (send++)->memory = memory;
      } else {
        receive->bytes = place.bytes * unit;
        (receive++)->memory = memory;
      }
    }
    run_copies(*script_, script_->windows[0].copies_before, bases_);
    exchange_.begin({.edges = &edges_});
  }
  bool advance() override {
    if (!exchange_.advance()) return false;
    end();
    return true;
  }
  void finish() override {
    exchange_.finish();
    end();
  }
  void abandon(const Error& why) noexcept override { exchange_.abandon(why); }
  Bytes memory_bytes() const override {
    return exchange_.memory_bytes() + memory_bytes_of(places_, sends_, receives_) + script_.memory_bytes();
  }

 private:
  void end() { run_copies(*script_, script_->windows[0].copies_after, bases_); }

  struct Place {  // of a message; in an elastic script, offset and bytes are for blocks of one byte
    Buffer buffer;
    Bytes offset, bytes;
  };

  ScaledScript script_;
  SharedExchange exchange_;
  Bases bases_{};
  Bytes block_bytes_ = script_->capacity;
  std::vector<Place> places_;             // in the order of the script's messages
  std::vector<Edges::Send> sends_;        // in the order of the script's messages
  std::vector<Edges::Receive> receives_;  // likewise
  Edges edges_;
};

class SharedOffer final : public Offer {
 public:
  SharedOffer(SharedSpace& space, const CopyCosts& costs, std::shared_ptr<const Script> script)
      : space_(space), costs_(costs), script_(std::move(script)), connector_(space, *script_) {
    static_assert(sizeof(Connector::Places) < sizeof words_);
    const Connector::Places mine = connector_.offer(costs);
    std::memcpy(words_.data(), &mine, sizeof mine);
    words_.back() = !script_->record && ScriptedExchange::suits(*script_, space, costs);
  }

  std::unique_ptr<Executable> complete(const std::vector<Words>& all) override {
    if (std::all_of(all.begin(), all.end(), [](const Words& each) { return each.back() != 0; }))
      return std::make_unique<ScriptedExchange>(space_, costs_, script_);
    ByRank<Connector::Places> places(size(all));
    for (Rank rank = 0; rank < size(all); ++rank)
      std::memcpy(static_cast<void*>(&places[rank]), all[index(rank)].data(), sizeof(Connector::Places));
    return connector_.connect(places, [&](Connected connected) {
      return script_executable<SharedMessages>(*script_, space_, script_, std::move(connected));
    });
  }

 private:
  SharedSpace& space_;
  const CopyCosts& costs_;
  const std::shared_ptr<const Script> script_;
  Connector connector_;
};

}  // namespace

std::unique_ptr<Executable> SharedCommunicator::prepare(std::shared_ptr<const Script> script) {
  if (script->nodes.empty()) {
    std::optional<SharedOffer> offer;
    const auto all = gathered_or_thrown(*space(), [&] { return offer.emplace(*space(), costs(), script).words(); });
    return offer->complete(all);
  }
  return script_executable<SharedMessages>(*script, *space(), costs(), script);
}

std::unique_ptr<Offer> SharedCommunicator::offer(const std::shared_ptr<const Script>& script) {
  if (!script->nodes.empty()) return nullptr;
  return std::make_unique<SharedOffer>(*space(), costs(), script);
}

std::unique_ptr<Executable> SharedCommunicator::prepare_exchange() { return std::make_unique<SharedExchange>(*space_, costs_); }

void SharedCommunicator::broadcast(void* data, Bytes count, Rank from) { tell(*space_, from, data, count); }

std::shared_ptr<std::byte> SharedCommunicator::allocate(Bytes bytes) {
  if (bytes < 0) throw std::bad_alloc();
  const Offset place = space()->allocate(bytes);
  return {space()->at(place), [space = space(), place](std::byte*) { space->release(place); }};
}

void SharedCommunicator::abort(int exit_code) {
  space()->fail();
  std::_Exit(exit_code);
}

}  // namespace quadrille

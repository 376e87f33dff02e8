// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "execute/agreement.hpp"
#include "execute/script/run.hpp"
#include "execute/script/script.hpp"
#include "execute/shared/memory/shared_memory.hpp"
#include "execute/shared/unplanned/exchange.hpp"

namespace quadrille {
namespace {

// Mail in shared memory. A letter is one message: its length, then its bytes. The sender allocates a letter in the space and stores
// its offset in a box; there is one box for each ordered pair of ranks. The receiver copies the letter and empties the box. So at
// most one letter is under way from one rank to another; a sender that has a second one waits for the box.
class SharedMail final : public Mail {
 public:
  // Collective.
  explicit SharedMail(SharedSpace& space) : space_(space) {
    Claim mine(space_);
    boxes_ = gathered_or_thrown(space_, [&] {
      std::byte* place = space_.at(mine.allocate_control(space_.size() * static_cast<Bytes>(sizeof(Box))));
      for (Rank to = 0; to < space_.size(); ++to) new (place + to * static_cast<Bytes>(sizeof(Box))) Box(0);
      return mine.place();
    });
    mine.keep();
  }
  ~SharedMail() override {
    // After an error a receiver may still read a letter, so the memory is leaked.
    if (letters_.empty()) space_.release(boxes_[space_.rank()]);
  }

  void send(Rank to, std::span<const std::byte> bytes) override {
    Offset letter = 0;
    try {
      letter = space_.allocate(static_cast<Bytes>(sizeof(Bytes) + bytes.size()));
    } catch (const std::bad_alloc&) {
      space_.fail();  // otherwise the receiver would wait for this letter for ever
      throw Error(ErrorCode::too_large, fmt::format("there is not enough shared memory for a message of {} bytes", bytes.size()));
    }
    const auto length = static_cast<Bytes>(bytes.size());
    std::memcpy(space_.at(letter), &length, sizeof length);
    if (length > 0) std::memcpy(space_.at(letter) + sizeof length, bytes.data(), bytes.size());
    Box& own = box(space_.rank(), to);
    // The store below releases the letter, and wait_for acquires it; otherwise the receiver might read the old contents of that
    // memory. The load acquires what `receive` released, as in finish_sends.
    space_.wait_until([&] { return own.load(std::memory_order_acquire) == 0; }, [&] { return to; });
    own.store(letter, std::memory_order_release);
    space_.ring(to);
    letters_.emplace_back(to, letter);
  }
  void finish_sends() override {
    while (!letters_.empty()) {
      const Rank to = letters_.back().first;
      const Offset letter = letters_.back().second;
      const Box& own = box(space_.rank(), to);
      // Acquires what `receive` released after it had copied the letter. Otherwise the letter's memory might be reused and written
      // while the receiver still reads it.
      space_.wait_until([&] { return own.load(std::memory_order_acquire) != letter; }, [&] { return to; });
      space_.release(letter);
      letters_.pop_back();
    }
  }
  Bytes wait_for(Rank from) override {
    from_ = from;
    const Box& theirs = box(from, space_.rank());
    space_.wait_until([&] { return theirs.load(std::memory_order_acquire) != 0; }, [&] { return from; });
    Bytes length = 0;  // the box has been acquired, and nobody changes it before `receive`, so further loads of it may be relaxed
    std::memcpy(&length, space_.at(theirs.load(std::memory_order_relaxed)), sizeof length);
    return length;
  }
  void receive(std::byte* into) override {
    Box& theirs = box(from_, space_.rank());
    const std::byte* letter = space_.at(theirs.load(std::memory_order_relaxed));
    Bytes length = 0;
    std::memcpy(&length, letter, sizeof length);
    if (length > 0) std::memcpy(into, letter + sizeof length, index(length));
    theirs.store(0, std::memory_order_release);  // releases the copy above; finish_sends acquires it
    space_.ring(from_);
  }

 private:
  // The offset of the letter, or 0 if there is none. The box lies in the sender's memory; the receiver sets it back to 0.
  using Box = std::atomic<Offset>;

  Box& box(Rank from, Rank to) const { return reinterpret_cast<Box*>(space_.at(boxes_[from]))[to]; }

  SharedSpace& space_;
  ByRank<Offset> boxes_;                          // by sender: the offset of its boxes, one for each receiver
  std::vector<std::pair<Rank, Offset>> letters_;  // sent by this rank and not yet released: receiver and letter
  Rank from_ = 0;                                 // the sender given to the last wait_for
};

// Runs a script of one window, whose messages are all long and contiguous, as an exchange by edges. The messages of plans copy long
// messages once; an exchange weighs that against pieces in the caches, which take less time on processors whose system call for
// copying from another process is slow.
class ScriptedExchange final : public Executable {
 public:
  // Can this rank's script run so, and may it gain? All ranks must be asked.
  static bool suits(const Script& script, const SharedSpace& space, const CopyCosts& costs) {
    if (space.holds_everything() || script.windows.size() != 1 || !script.nodes.empty() || script.messages.empty()) return false;
    if (script.scratch_bytes + script.staging_bytes > 0) return false;
    return std::all_of(script.messages.begin(), script.messages.end(), [&](const ScriptMessage& message) {
      return message.bytes > costs.longest_twice() && message.effect == Effect::overwrite && !message.overwritten &&
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
    auto send = sends_.begin();
    auto receive = receives_.begin();
    for (const ScriptMessage& message : script_->messages) {
      const Region& first = message.regions.front();
      std::byte* const memory = bases_[first.buffer] + first.offset;
      (message.is_send ? static_cast<void>((send++)->memory = memory) : static_cast<void>((receive++)->memory = memory));
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
  Bytes memory_bytes() const override { return exchange_.memory_bytes() + memory_bytes_of(sends_, receives_); }

 private:
  void end() { run_copies(*script_, script_->windows[0].copies_after, bases_); }

  const std::shared_ptr<const Script> script_;
  SharedExchange exchange_;
  Bases bases_{};
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

std::unique_ptr<Mail> SharedCommunicator::mail() { return std::make_unique<SharedMail>(*space_); }

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

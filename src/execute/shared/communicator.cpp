// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/communicator.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "execute/agreement.hpp"
#include "execute/shared/scripted_exchange.hpp"

namespace quadrille {
namespace {

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

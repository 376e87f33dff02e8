// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/communicator.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace quadrille {
namespace {

class SharedOffer final : public Offer {
 public:
  SharedOffer(SharedSpace& space, const CopyCosts& costs, const std::shared_ptr<const Script>& script)
      : executable_(std::make_unique<SharedExecutable>(space, costs, script, SharedMessages::Unconnected{})) {
    static_assert(sizeof(SharedMessages::Places) <= sizeof words_);
    const SharedMessages::Places mine = executable_->messages().offer();
    std::memcpy(words_.data(), &mine, sizeof mine);
  }

  std::unique_ptr<Executable> complete(const std::vector<Words>& all) override {
    ByRank<SharedMessages::Places> places(size(all));
    for (Rank rank = 0; rank < size(all); ++rank)
      std::memcpy(static_cast<void*>(&places[rank]), all[index(rank)].data(), sizeof(SharedMessages::Places));
    executable_->messages().connect(places);
    return std::move(executable_);
  }

 private:
  std::unique_ptr<SharedExecutable> executable_;
};

}  // namespace

std::unique_ptr<Executable> SharedCommunicator::prepare(std::shared_ptr<const Script> script) {
  return std::make_unique<SharedExecutable>(*space(), costs(), std::move(script));
}

std::unique_ptr<Offer> SharedCommunicator::offer(const std::shared_ptr<const Script>& script) {
  if (!script->nodes.empty()) return nullptr;
  return std::make_unique<SharedOffer>(*space(), costs(), script);
}

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

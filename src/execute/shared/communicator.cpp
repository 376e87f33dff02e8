// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/communicator.hpp"

#include <cstdlib>
#include <new>

namespace quadrille {

std::unique_ptr<Executable> SharedCommunicator::prepare(std::shared_ptr<const Script> script) {
  return std::make_unique<SharedExecutable>(*space_, costs_, std::move(script));
}

std::shared_ptr<std::byte> SharedCommunicator::allocate(Bytes bytes) {
  if (bytes < 0) throw std::bad_alloc();
  const Offset place = space_->allocate(bytes);
  return {space_->at(place), [space = space_, place](std::byte*) { space->release(place); }};
}

void SharedCommunicator::abort(int exit_code) {
  space_->fail();
  std::_Exit(exit_code);
}

}  // namespace quadrille

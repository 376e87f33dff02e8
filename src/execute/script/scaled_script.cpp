// SPDX-License-Identifier: BSD-3-Clause
#include "execute/script/scaled_script.hpp"

#include "execute/transport.hpp"
#include "foundation/assert.hpp"

namespace quadrille {

Bytes of_byte(Bytes value, Bytes capacity) {
  QUADRILLE_ASSERT(value % capacity == 0);
  return value / capacity;
}

ElasticCopies::ElasticCopies(const std::vector<StridedCopy>& copies, Bytes capacity) : of_byte_(copies) {
  for (StridedCopy& copy : of_byte_) {
    for (Bytes* const value : {&copy.source, &copy.target, &copy.length}) *value = of_byte(*value, capacity);
    for (StridedCopy::Level& level : copy.levels)
      for (Bytes* const stride : {&level.source_stride, &level.target_stride})
        *stride = level.count > 1 ? of_byte(*stride, capacity) : 0;
  }
}

void ElasticCopies::scale(std::vector<StridedCopy>& copies, Bytes block_bytes) const {
  QUADRILLE_HOT_ASSERT(copies.size() == of_byte_.size());
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const StridedCopy& from = of_byte_[i];
    StridedCopy& to = copies[i];
    to.source = from.source * block_bytes;
    to.target = from.target * block_bytes;
    to.length = from.length * block_bytes;
    if (is_straight(from)) continue;
    for (std::size_t level = 0; level < from.levels.size(); ++level) {
      to.levels[level].source_stride = from.levels[level].source_stride * block_bytes;
      to.levels[level].target_stride = from.levels[level].target_stride * block_bytes;
    }
  }
}

Bytes ElasticCopies::memory_bytes() const { return memory_bytes_of(of_byte_); }

ScaledScript::ScaledScript(std::shared_ptr<const Script> script) {
  if (script->capacity > 0) {
    own_ = std::make_shared<Script>(*script);
    copies_ = std::make_unique<ElasticCopies>(own_->copies, own_->capacity);
    script = own_;
  }
  script_ = std::move(script);
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// A value, or the reason why there is none, where that is no error: an algorithm that does not apply, a transport without shared
// memory. The reason is one sentence without a full stop at its end:
//
//   Result<Count> side = side_of(problem);
//   if (!side) return cannot(side.error());
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace quadrille {

template <class Value = void>
using Result = tl::expected<Value, std::string>;

inline tl::unexpected<std::string> cannot(std::string reason) { return tl::unexpected<std::string>(std::move(reason)); }

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// The version of the library that is loaded.
#pragma once

#include <string_view>

namespace quadrille {

std::string_view version();  // as in "1.2.3"

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/message_window.hpp"

#include <algorithm>

namespace quadrille {

Count MessageWindow::under_way(Count messages, Bytes bytes) const {
  const Bytes mean = std::max<Bytes>(1, messages > 0 ? bytes / messages : 0);
  return std::clamp((link_bytes + mean - 1) / mean, least, most);
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/text/printer.hpp"

namespace quadrille {

void Printer::print_arguments(fmt::string_view format, fmt::format_args arguments) {
  fmt::vformat_to(fmt::appender(buffer_), format, arguments);
  if (buffer_.size() > (std::size_t{1} << 16)) flush();
}

void Printer::flush() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// A libFuzzer target: passes arbitrary bytes to the reader of documents, and accepted documents to the verifier. No exception other
// than Error may escape.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "quadrille/document.hpp"
#include "quadrille/error.hpp"
#include "quadrille/verify.hpp"

namespace {

std::string text_of(const quadrille::Schedule& schedule) {
  std::ostringstream out;
  write_text(out, schedule);
  return out.str();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    for (const auto& schedule : quadrille::parse_documents({reinterpret_cast<const char*>(data), size})) {
      const std::string written = text_of(schedule);
      if (text_of(quadrille::parse_documents(written).at(0)) != written) std::abort();
#ifndef QUADRILLE_FUZZ_READER_ONLY
      quadrille::verify(schedule, {.most_pieces = 1 << 16});
#endif
    }
  } catch (const quadrille::Error&) {}
  return 0;
}

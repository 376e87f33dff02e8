// SPDX-License-Identifier: BSD-3-Clause
// Mutated documents: whatever comes, reading ends in schedules or in an Error, and what was read can be written again.
// The open-ended variant is tests/fuzz/parse_fuzz.cpp.
#include <gtest/gtest.h>

#include <random>

#include "schedule/documents.hpp"

namespace quadrille {
namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t end) { return random() % end; }

// Where a run of digits begins, searched from a random place on; the end of the text if there is none.
std::size_t digits_after(const std::string& text, std::size_t start) {
  return std::min(text.find_first_of("0123456789", start), text.size());
}

void mutate(std::string& text, Random& random) {
  static const std::vector<std::string> numbers{"0",
                                                "-1",
                                                "1e3",
                                                "9223372036854775807",
                                                "-9223372036854775808",
                                                "9223372036854775808",
                                                "18446744073709551616",
                                                "1000000000000",
                                                "1e999",
                                                "0.5",
                                                "null",
                                                "\"7\"",
                                                "[]"};
  static const std::vector<std::string> pieces{"[",
                                               "]",
                                               "{",
                                               "}",
                                               "\"",
                                               ",",
                                               ":",
                                               "\\",
                                               "*",
                                               "/",
                                               "#",
                                               "\n",
                                               "rank ",
                                               "round ",
                                               "stage ",
                                               "\xff",
                                               std::string(1, '\0'),
                                               "[[[[",
                                               "input[0:1]",
                                               "->",
                                               "quadrille-schedule-text/1\n"};
  const std::size_t place = below(random, text.size() + 1);
  const std::size_t length = std::min(below(random, 40), text.size() - place);
  switch (below(random, 6)) {
    case 0:
      if (place < text.size()) text[place] = static_cast<char>(text[place] ^ (1 << below(random, 8)));
      break;
    case 1: text.erase(place, length); break;
    case 2: text.insert(place, pieces[below(random, pieces.size())]); break;
    case 3: text.insert(below(random, text.size() + 1), std::string(text, place, length * below(random, 4))); break;
    case 4: {
      const std::size_t digits = digits_after(text, place);
      const std::size_t end = std::min(text.find_first_not_of("0123456789", digits), text.size());
      text.replace(digits, end - digits, numbers[below(random, numbers.size())]);
      break;
    }
    case 5: {
      const std::size_t digits = digits_after(text, place);
      if (digits < text.size()) text[digits] = static_cast<char>('0' + below(random, 10));
      break;
    }
  }
}

// Returns the number of schedules read.
std::size_t read_and_write(const std::string& text) {
  try {
    const std::vector<Schedule> schedules = parse_documents(text);
    for (const Schedule& schedule : schedules) {
      const std::string written = text_of(schedule);
      EXPECT_EQ(text_of(parse_documents(written).at(0)), written);
    }
    return schedules.size();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()), "");
    EXPECT_LT(std::string(error.what()).size(), 1000u);
    return 0;
  }
}

TEST(ParseFuzz, MutatedDocumentsAreReadOrRefused) {
  constexpr std::uint64_t seed = 20240611;
  std::vector<std::string> documents;
  for (const char* specification : {"direct", "shift", "bruck:radix=2", "bruck:radix=3,ports=2,form=classical"}) {
    const Schedule schedule = make_schedule(alltoall(5, 8), specification);
    documents.push_back(text_of(schedule));
    documents.push_back(json_of(schedule));
    documents.push_back("[" + json_of(schedule) + "]");
  }
  std::size_t readable = 0;
  constexpr std::size_t cases = 20000;
  for (std::size_t i = 0; i < cases; ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i));
    Random random(seed + i);
    std::string text = documents[i % documents.size()];
    for (std::size_t mutations = 1 + below(random, 4); mutations > 0; --mutations) mutate(text, random);
    ASSERT_NO_THROW(readable += read_and_write(text) > 0) << text;
  }
  EXPECT_GT(readable, cases / 20);  // the mutations are not all hopeless
}

}  // namespace
}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Calls the fuzz target with mutated documents, for compilers without libFuzzer. It takes the same arguments:
//   quadrille_fuzz -max_total_time=SECONDS -seed=NUMBER FOLDER...
// Each input is a document of the folders with 1 to 8 mutations. If the target fails, the input and its seed are printed.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "support/last_words.hpp"
#include "support/mutate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void add_documents(const std::filesystem::path& folder, std::vector<std::string>& documents) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    documents.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
}

}  // namespace

int main(int count, char** arguments) {
  using Clock = std::chrono::steady_clock;
  std::chrono::seconds time{5};
  std::uint64_t seed = 1, inputs = 0;
  std::vector<std::string> documents;
  for (const std::string& argument : std::vector<std::string>(arguments + 1, arguments + count))
    if (argument.starts_with("-max_total_time="))
      time = std::chrono::seconds(std::stoll(argument.substr(argument.find('=') + 1)));
    else if (argument.starts_with("-seed="))
      seed = std::stoull(argument.substr(argument.find('=') + 1));
    else
      add_documents(argument, documents);
  if (documents.empty()) return std::fprintf(stderr, "quadrille_fuzz: name a folder that has documents\n"), 2;

  quadrille::testing::LastWords last_words;
  for (const auto end = Clock::now() + time; Clock::now() < end; ++inputs) {
    quadrille::testing::Random random(seed + inputs);
    std::string text = documents[quadrille::testing::below(random, documents.size())];
    for (std::size_t mutations = 1 + quadrille::testing::below(random, 8); mutations > 0; --mutations)
      quadrille::testing::mutate(text, random);
    last_words.text = "the target failed with -seed=" + std::to_string(seed + inputs) + " on this input:\n" + text + "\n";
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }
  std::printf("%llu inputs\n", static_cast<unsigned long long>(inputs));
  return inputs == 0 ? 1 : 0;
}

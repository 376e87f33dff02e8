// SPDX-License-Identifier: BSD-3-Clause
// Machines as TOML files: those installed beside the library, and anybody's own.
#define TOML_HEADER_ONLY 1
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cost/library_folder.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "quadrille/model.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;

constexpr double microsecond = 1e-6;
constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 20;

fs::path machine_folder() { return library_folder() / "machines"; }

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) throw Error(ErrorCode::environment, fmt::format("'{}' is no machine file", file));
    if (fs::file_size(file, error) > most_bytes || error) fail("it is longer than 1 MiB");
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) throw Error(ErrorCode::environment, fmt::format("'{}' cannot be read", file));
    try {
      table_ = toml::parse(text, file);
    } catch (const toml::parse_error& wrong) {
      fail(fmt::format("line {}: {}", wrong.source().begin.line, wrong.description()));
    }
  }

  FlatModel model() const {
    refuse_unknown(table_, {"name", "description", "source", "flat"});
    const toml::table* flat = table_["flat"].as_table();
    if (!flat) fail("there is no table [flat]");
    refuse_unknown(*flat, {"startup_us", "compose_us_per_byte", "copy_us_per_byte", "wire_us_per_byte", "contention"});
    FlatModel model{.name = text("name"), .description = text("description"), .source = text("source")};
    model.startup_s = number(*flat, "startup_us") * microsecond;
    model.compose_s_per_byte = number(*flat, "compose_us_per_byte") * microsecond;
    model.copy_s_per_byte = number(*flat, "copy_us_per_byte") * microsecond;
    model.wire_s_per_byte = number(*flat, "wire_us_per_byte") * microsecond;
    if (flat->contains("contention")) model.contention = number(*flat, "contention");
    if (model.contention && *model.contention < 1) fail("contention is less than 1");
    return model;
  }

 private:
  [[noreturn]] void fail(const std::string& sentence) const {
    throw Error(ErrorCode::malformed, fmt::format("the machine file '{}': {}", file_, sentence));
  }

  void refuse_unknown(const toml::table& table, const std::vector<std::string>& known) const {
    for (const auto& [key, value] : table)
      if (std::find(known.begin(), known.end(), key.str()) == known.end())
        fail(fmt::format("line {}: there is no '{}'; there are: {}", value.source().begin.line, key.str(), fmt::join(known, ", ")));
  }

  std::string text(const char* key) const {
    const auto value = table_[key].value<std::string>();
    if (!value) fail(fmt::format("'{}' is missing, or no text", key));
    return *value;
  }

  double number(const toml::table& table, const char* key) const {
    const auto value = table[key].value<double>();
    if (!value) fail(fmt::format("'{}' is missing, or no number", key));
    if (!(*value >= 0) || !std::isfinite(*value)) fail(fmt::format("'{}' is {}; it is 0 or more", key, *value));
    return *value;
  }

  std::string file_;
  toml::table table_;
};

}  // namespace

FlatModel read_machine(const std::string& file) { return Reader(file).model(); }

FlatModel find_machine(const std::string& name_or_file) {
  const std::vector<std::string> known = machine_names();
  if (std::find(known.begin(), known.end(), name_or_file) != known.end())
    return read_machine((machine_folder() / (name_or_file + ".toml")).string());
  std::error_code ignored;
  if (fs::exists(name_or_file, ignored)) return read_machine(name_or_file);
  const auto guess = nearest(name_or_file, known);
  throw Error(ErrorCode::misuse, fmt::format("there is no machine '{}', and no such file; {}", name_or_file,
                                             guess ? fmt::format("did you mean '{}'?", *guess)
                                                   : fmt::format("there are: {}", fmt::join(known, ", "))));
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(machine_folder(), error))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace quadrille

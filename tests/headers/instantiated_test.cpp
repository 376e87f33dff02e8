// SPDX-License-Identifier: BSD-3-Clause
// Tests that the tests instantiate each public function template. The compiler checks the body of a template only then, so a
// template that nothing instantiates may not even compile. Symbols of this program count, not mentions in its sources.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace {

namespace fs = std::filesystem;

// Returns the number of parameters or arguments in a list that follows its "<", and removes the list from the text.
int take_list(std::string_view& text) {
  int depth = 0, count = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '>' && depth == 0) {
      text.remove_prefix(i + 1);
      return count;
    }
    if (c == ',' && depth == 0) ++count;
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if (c == '>' || c == ')' || c == '}' || c == ']') --depth;
  }
  return 0;
}

// The name, and the number of template parameters, which tells most overloads apart.
std::string key(std::string_view name, int parameters) { return std::string(name) + "<" + std::to_string(parameters) + ">"; }

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The parameters declared with `auto` are template parameters, too.
int autos_in(std::string_view parameters) {
  int count = 0;
  for (std::size_t at = 0; (at = parameters.find(" auto", at)) != parameters.npos; ++at) ++count;
  return count;
}

// Adds the function templates of a header, without those of namespaces *_detail. Functions that are constexpr are left out, because
// a call that the compiler evaluates leaves no symbol.
void add_templates(const fs::path& header, std::set<std::string>& templates) {
  std::ifstream lines(header);
  bool internal = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("namespace ")) internal = line.ends_with("_detail {");
    if (line.starts_with("}  // namespace")) internal = false;
    if (internal || line.empty() || !is_of_name(line[0])) continue;
    for (std::string more; line.find_first_of("{;") == line.npos && std::getline(lines, more);) line += " " + more;
    std::string_view rest = line;
    int parameters = 0;
    if (line.starts_with("template <")) rest.remove_prefix(rest.find('<') + 1), parameters = take_list(rest);
    const std::size_t end = std::min(rest.find('('), rest.size());
    parameters += autos_in(rest.substr(end, rest.find_first_of("{;") - end));
    if (parameters == 0) continue;
    const std::string_view before = rest.substr(0, end);
    const auto has = [&](std::string_view word) { return before.find(word) != before.npos; };
    if (end == rest.size() || has(" constexpr ") || has(" concept ") || has(" using ") || has(" operator")) continue;
    std::size_t begin = end;
    while (begin > 0 && is_of_name(rest[begin - 1])) --begin;
    templates.insert(key(rest.substr(begin, end - begin), parameters));
  }
}

// Returns the templates of namespace quadrille of which this program has instances.
std::set<std::string> instantiated() {
  std::set<std::string> templates;
  const std::string command = "nm -C --defined-only '" + fs::read_symlink("/proc/self/exe").string() + "'";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> symbols(::popen(command.c_str(), "r"), ::pclose);
  char* line = nullptr;
  std::size_t size = 0;
  constexpr std::string_view scope = "quadrille::";
  while (::getline(&line, &size, symbols.get()) > 0) {
    std::string_view rest = line;
    for (std::size_t found; (found = rest.find(scope)) != rest.npos;) {
      rest.remove_prefix(found + scope.size());
      std::size_t end = 0;
      while (end < rest.size() && is_of_name(rest[end])) ++end;
      if (end == rest.size() || rest[end] != '<') continue;
      std::string_view list = rest.substr(end + 1);
      templates.insert(key(rest.substr(0, end), take_list(list)));
    }
  }
  std::free(line);
  return templates;
}

TEST(Headers, TestsInstantiateEveryFunctionTemplate) {
  std::set<std::string> templates;
  for (const auto& entry : fs::directory_iterator(fs::path(QUADRILLE_SOURCE_DIR) / "include/quadrille"))
    if (entry.path().extension() == ".hpp") add_templates(entry.path(), templates);
  EXPECT_GE(templates.size(), 60u);
  const std::set<std::string> instances = instantiated();
  ASSERT_GE(instances.size(), 10u) << "nm lists no symbols";
  for (const std::string& name : templates)
    EXPECT_TRUE(instances.contains(name)) << "no test calls " << name << ", with its number of template parameters";
}

}  // namespace

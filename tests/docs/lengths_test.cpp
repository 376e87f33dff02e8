// SPDX-License-Identifier: BSD-3-Clause
// Tests that no source file and no function is too long to be read at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/source_folder.hpp"

namespace {

namespace fs = std::filesystem;

using quadrille::testing::source_folder;

constexpr std::size_t most_lines_of_file = 500, most_lines_of_function = 60;

// Functions that may be longer.
struct LongFunction {
  std::string_view file, name, reason;
};
constexpr LongFunction long_functions[] = {
    {"src/foundation/environment.cpp", "table", "a table, one row for each variable"},
    {"src/mpi_face/datatype.cpp", "predefined_types", "a table, one row for each type"},
    {"src/mpi_face/policy/step.cpp", "Step::after_action", "a case for each action"},
    {"src/plan/plan.cpp", "Draft::agreed", "to be split"},
    {"src/tune/race/race.cpp", "enter", "to be split"},
    {"tools/reports/viewer_gallery.cpp", "lessons", "a table, one row for each lesson"},
    {"tools/subcommands/project.cpp", "add_project", "a list of options"},
    {"tools/subcommands/race.cpp", "add_race", "a list of options"},
    {"tools/subcommands/tune.cpp", "add_tune", "a list of options"},
};

// Returns the text with the same lines, without comments, preprocessor's lines, and what is in quotes.
std::string code_of(std::string_view text) {
  std::string code;
  const auto skip_to = [&](std::size_t from, std::size_t to) {
    code.append(static_cast<std::size_t>(std::count(text.begin() + from, text.begin() + to, '\n')), '\n');
    return to;
  };
  const auto end_of_quoted = [&](std::size_t at) {
    const char quote = text[at++];
    while (text[at] != quote) at += text[at] == '\\' ? 2 : 1;
    return at + 1;
  };
  bool at_begin = true;  // of a line
  for (std::size_t i = 0; i < text.size();) {
    const bool after_word = i > 0 && (std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0 || text[i - 1] == '_');
    if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i).starts_with("/*")) {
      i = skip_to(i, text.find("*/", i) + 2);
    } else if (text.substr(i).starts_with("R\"") && !after_word) {
      const std::size_t open = text.find('(', i);
      const std::string close = ")" + std::string(text.substr(i + 2, open - i - 2)) + "\"";
      i = skip_to(i, text.find(close, open) + close.size());
      code += "\"\"";
    } else if (text[i] == '"' || (text[i] == '\'' && !after_word)) {
      i = end_of_quoted(i);
      code += "\"\"";
    } else if (text[i] == '#' && at_begin) {
      std::size_t end = std::min(text.find('\n', i), text.size());
      while (end < text.size() && text[end - 1] == '\\') end = std::min(text.find('\n', end + 1), text.size());
      i = skip_to(i, end);
    } else {
      at_begin = text[i] == '\n' || (at_begin && text[i] == ' ');
      code += text[i++];
    }
  }
  return code;
}

// Removes "template <..>" from the beginning.
std::string_view without_template(std::string_view head) {
  if (!head.starts_with("template")) return head;
  int depth = 0;
  for (std::size_t i = head.find('<'); i < head.size(); ++i) {
    depth += head[i] == '<' ? 1 : head[i] == '>' ? -1 : 0;
    if (depth == 0) return head.substr(std::min(head.find_first_not_of(" \n", i + 1), head.size()));
  }
  return head;
}

// What the brace begins that stands behind `head`.
enum class Block { scope, function, other };

Block block_of(std::string_view head) {
  head = without_template(head);
  for (const std::string_view word : {"namespace", "inline namespace", "class ", "struct ", "union ", "extern \"\""})
    if (head.starts_with(word)) return Block::scope;
  if (head.find('(') == head.npos || head.starts_with("enum ")) return Block::other;
  if (head.find("operator") != head.npos) return Block::function;
  int depth = 0;
  for (const char letter : head) {  // a value is set
    depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    if (letter == '=' && depth == 0) return Block::other;
  }
  return Block::function;
}

struct Function {
  std::string name;
  std::size_t line = 0, lines = 0;
};

// Finds the functions whose definitions lie in namespaces and classes. A head is what stands before a brace, from the last
// statement on; that of a constructor may have braces for members.
class FunctionFinder {
 public:
  std::vector<Function> found_in(const std::string& code) {
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (code[i] == '\n') ++line_;
      if (code[i] == '{')
        open();
      else if (code[i] == '}')
        close(code.find_first_not_of(" \n", i + 1) < code.size() ? code[code.find_first_not_of(" \n", i + 1)] : ' ');
      else if (in_scopes())
        add(code[i]);
    }
    EXPECT_TRUE(blocks_.empty());
    return std::move(functions_);
  }

 private:
  struct Open {
    Block block;
    std::string head;
    std::size_t line;
  };

  bool in_scopes() const {
    return std::all_of(blocks_.begin(), blocks_.end(), [](const Open& open) { return open.block == Block::scope; });
  }

  void open() {
    const bool counts = in_scopes() && parentheses_ == 0;
    blocks_.push_back({counts ? block_of(head_) : Block::other, std::exchange(head_, ""), first_line_});
  }

  void close(char next) {
    if (blocks_.empty()) return;
    Open closed = std::move(blocks_.back());
    blocks_.pop_back();
    if (!in_scopes()) return;
    if (parentheses_ > 0 || (closed.block == Block::function && (next == ',' || next == '{'))) {  // braces of a part of the head
      head_ = closed.head + "()";
      first_line_ = closed.line;
    } else if (closed.block == Block::function) {
      const std::string before = closed.head.substr(0, closed.head.find('('));
      functions_.push_back({before.substr(before.find_last_of(" \n*&") + 1), closed.line, line_ - closed.line + 1});
    } else if (closed.block == Block::scope) {
      head_.clear();  // macros without semicolons
    }
  }

  void add(char letter) {
    if (letter == '(') ++parentheses_;
    if (letter == ')') --parentheses_;
    const bool is_blank = letter == ' ' || letter == '\n';
    if (head_.empty() && is_blank) return;
    if (head_.empty()) first_line_ = line_;
    if (letter == ';' && parentheses_ == 0)
      head_.clear();
    else if (letter == ':' && (head_ == "public" || head_ == "private" || head_ == "protected"))
      head_.clear();
    else
      head_ += letter;
  }

  std::vector<Open> blocks_;
  std::vector<Function> functions_;
  std::string head_;
  std::size_t line_ = 1, first_line_ = 1;
  int parentheses_ = 0;
};

std::vector<Function> functions_of(std::string_view text) { return FunctionFinder().found_in(code_of(text)); }

template <class Visit>
void for_each_source(Visit&& visit) {
  for (const char* top : {"include", "src", "tools", "papers"})
    for (const auto& entry : fs::recursive_directory_iterator(source_folder / top))
      if (const fs::path extension = entry.path().extension(); extension == ".cpp" || extension == ".hpp" || extension == ".h") {
        std::ifstream file(entry.path());
        visit(relative(entry.path(), source_folder).string(), std::string(std::istreambuf_iterator<char>(file), {}));
      }
}

TEST(Lengths, OfFunctionsAreFound) {
  const std::vector<Function> functions = functions_of(R"code(// a comment {
#define MACRO(x) \
  void x() {
namespace some {
template <class T = int>
class Thing : public Base<T> {
 public:
  Thing() : one_{1}, two_(2) {
    use('{', "}");
  }
  const std::vector<int>& list(int most = 3) const { return list_; }

 private:
  bool operator==(const Thing&) const = default;
  std::vector<int> list_{1, 2};
};
const auto no_function = [](int x) {
  return x;
};
constexpr Row rows[] = {{1, f(2)}, {3, f(4)}};
extern "C" {
void in_c() {}
MACRO(some)
}
static Thing<int>* Thing<int>::found(std::vector<int> where = {},
                                     int which) {
  if (which > 0) {
    return nullptr;
  }
  return /* } */ 0;
}
}
)code");
  std::vector<std::pair<std::string, std::size_t>> lines;
  for (const Function& function : functions) lines.emplace_back(function.name, function.lines);
  EXPECT_EQ(lines,
            (std::vector<std::pair<std::string, std::size_t>>{{"Thing", 3}, {"list", 1}, {"in_c", 1}, {"Thing<int>::found", 7}}));
}

TEST(Lengths, OfFunctionsAreLimited) {
  std::size_t count = 0;
  for_each_source([&](const std::string& file, const std::string& text) {
    for (const Function& function : functions_of(text)) {
      ++count;
      const bool is_exception =
          std::any_of(std::begin(long_functions), std::end(long_functions),
                      [&](const LongFunction& exception) { return exception.file == file && exception.name == function.name; });
      EXPECT_TRUE(function.lines <= most_lines_of_function || is_exception)
          << file << ":" << function.line << ": " << function.name << " has " << function.lines << " lines; the limit is "
          << most_lines_of_function;
    }
  });
  EXPECT_GE(count, 4000u);
}

TEST(Lengths, OfFilesAreLimited) {
  for_each_source([](const std::string& file, const std::string& text) {
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), static_cast<std::ptrdiff_t>(most_lines_of_file)) << file;
  });
}

}  // namespace

// SPDX-License-Identifier: BSD-3-Clause
// The table of a subcommand's options. A row has everything about an option: its names, the name of its value, how its text is
// read and where the value is stored, its default and its help. CLI11 parses the command line. The header of CLI11 takes seconds
// to compile. So it is included only by option_table.cpp and by files that inspect a parser: main, help, completion and manual.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace quadrille::command {

// Headings in the help. Subcommands add their options in this order; `others` comes last.
namespace group {
inline constexpr const char* arguments = "Arguments";
inline constexpr const char* algorithm = "Algorithm";
inline constexpr const char* problem = "Problem";
inline constexpr const char* machine = "Machine and model";
inline constexpr const char* rules = "Rules";
inline constexpr const char* execution = "Execution";
inline constexpr const char* measurement = "Measurement";
inline constexpr const char* output = "Output";
inline constexpr const char* others = "Others";
}  // namespace group

// How the text of an option is read. Flags and texts are stored while the command line is parsed. Typed values are read from
// their texts afterwards, by OptionTable::read_values. A list may be given several times; as an argument it takes all remaining
// words.
class OptionType {
 public:
  OptionType(bool& flag) : flag_(&flag) {}
  OptionType(std::string& text) : text_(&text) {}
  OptionType(std::optional<std::string>& text) : given_(&text) {}
  OptionType(std::vector<std::string>& texts) : list_(&texts) {}

  // `read` returns the value of a text, or throws Error{misuse}. As the default, the help shows the value that the variable has
  // when the row is added.
  template <class Value, class Read>
  OptionType(Value& value, Read read) requires std::is_invocable_v<Read, const std::string&>
      : read_text_(std::make_shared<std::optional<std::string>>()) {
    if constexpr (std::is_arithmetic_v<Value>) standard_ = fmt::format("{}", value);
    read_ = [&value, read = std::move(read), text = read_text_] {
      if (!*text) return;
      if constexpr (std::is_arithmetic_v<Value>)
        value = static_cast<Value>(read(**text));
      else
        value = read(**text);
    };
  }

  // A list: `read` takes all texts.
  template <class Value, class Read>
      OptionType(Value& value, Read read) requires std::is_invocable_v < Read,
      const std::vector<std::string>
  & > &&(!std::is_invocable_v<Read, const std::string&>) : read_list_(std::make_shared<std::vector<std::string>>()) {
    read_ = [&value, read = std::move(read), texts = read_list_] {
      if (!texts->empty()) value = read(*texts);
    };
  }

 private:
  friend class OptionTable;

  bool* flag_ = nullptr;
  std::string* text_ = nullptr;
  std::optional<std::string>* given_ = nullptr;
  std::vector<std::string>* list_ = nullptr;
  std::shared_ptr<std::optional<std::string>> read_text_;  // the text of a typed value
  std::shared_ptr<std::vector<std::string>> read_list_;    // the texts of a typed list
  std::function<void()> read_;
  std::string standard_;
};

struct OptionRow {
  std::string_view names;       // "-o,--output"; an argument's name has no dashes
  std::string_view value_name;  // stands for the value in the help; empty for flags
  OptionType type;
  std::string help;  // {default} stands for the value that the option has if it is not given
};

class OptionTable {
 public:
  OptionTable(CLI::App& command, std::string_view subcommand, std::string_view description);
  explicit OptionTable(CLI::App& parser) : parser_(&parser) {}  // adds to a parser that has no subcommands

  void add(const char* heading, std::initializer_list<OptionRow> rows);

  // Add options that many subcommands have, under their headings: --json, and -o.
  void add_json(bool& json, std::string_view help);
  void add_output(std::optional<std::string>& file);

  // Sets the text below the options: paragraphs, one line each. Lines after "Example" are printed unchanged. If the first line is
  // "Usage: ...", it replaces the parser's own usage line.
  void set_footer(std::string_view footer);

  CLI::App& parser() const { return *parser_; }
  void read_values() const;  // reads the values of the options that were given; throws Error{misuse} for the first wrong value

 private:
  CLI::App* parser_;
  std::vector<std::function<void()>> readings_;
};

// Reads text such as "--ranks 8 --block 64B" by a table of its own, to which `declare` adds the options.
void read_options(const std::string& text, const std::function<void(OptionTable&)>& declare);

// How a program on the command line is handled: quadrille SUBCOMMAND [OPTIONS] [--] PROGRAM ARGUMENTS...
struct ProgramWords {
  std::vector<std::string>* destination = nullptr;  // receives the program and its arguments
  // The values of options that are given without a value: {"--report", "summary"} if --report alone means --report=summary. A
  // value must follow '=', because the next word may be the program.
  std::map<std::string, std::string> standard_values;
};

// Moves the program and its arguments from `words` to their destination, so that our parser does not read them. The first word is
// the subcommand's name.
void take_program(const CLI::App& subcommand, const ProgramWords& program, std::vector<std::string>& words);

}  // namespace quadrille::command

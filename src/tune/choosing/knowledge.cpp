// SPDX-License-Identifier: BSD-3-Clause
#include "tune/choosing/knowledge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <vector>

#include "execute/agreement.hpp"
#include "execute/executions/exchanger.hpp"
#include "foundation/environment.hpp"
#include "foundation/hash.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/model_choice.hpp"
#include "tune/wisdom/fingerprint.hpp"
#include "tune/wisdom/wisdom_pool.hpp"

namespace quadrille {
namespace {

// Rank 0 and the first rank of another node. Each of the two sends to the other while it receives from it. All ranks must start
// exchanges in the same order, so the other ranks take part without messages and without waiting.
class Pair {
 public:
  explicit Pair(Communicator& communicator) : exchanger_(Exchanger::of(communicator)) {
    const std::vector<Count>& nodes = communicator.nodes();
    const auto far = std::find_if(nodes.begin(), nodes.end(), [&](Count node) { return node != nodes[0]; }) - nodes.begin();
    if (communicator.rank() == 0) other_ = far;
    if (communicator.rank() == far) other_ = 0;
  }

  // Returns the seconds of a message of this length: the least of a few times, because other programs only lengthen times. Valid
  // only at rank 0.
  double seconds(Bytes bytes) {
    constexpr int messages = 2;
    const std::vector<std::byte> sent(index(bytes));
    std::vector<std::byte> received(index(bytes));
    EdgeLists lists;
    if (other_ >= 0) {
      lists.send(other_, sent.data(), bytes);
      lists.receive(other_, received.data(), bytes);
    }
    double least = std::numeric_limits<double>::infinity();
    for (int message = 0; message < messages; ++message) {
      const auto begin = std::chrono::steady_clock::now();
      exchanger_->execute(lists.edges(/*may_pack=*/false));
      least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return least;
  }

 private:
  const std::unique_ptr<Exchanger> exchanger_;
  Rank other_ = -1;  // the other rank of the pair; -1 on ranks outside the pair
};

constexpr const char* preset_variable = "QUADRILLE_MACHINE";  // names the machine that supplies prices where nothing was measured
constexpr const char* usual_node = "epyc";
constexpr const char* usual_network = "ethernet100";

// What this process knows, shared by ranks that are its threads. One entry per machine.
struct Kept {
  std::mutex mutex;
  std::map<std::pair<std::string, bool>, std::shared_ptr<const Knowledge>> by_machine;
};

Kept& kept() {
  static Kept one;
  return one;
}

// A group on one node and a group on several nodes have different fingerprints, so they have different entries.
std::pair<std::string, bool> key_of(Communicator& communicator) {
  const std::vector<Count>& nodes = communicator.nodes();
  const bool on_several = std::any_of(nodes.begin(), nodes.end(), [&](Count node) { return node != nodes[0]; });
  return {std::string(communicator.transport_name()), on_several};
}

std::shared_ptr<const Knowledge> keep(Communicator& communicator, Knowledge knowledge) {
  auto shared = std::make_shared<const Knowledge>(std::move(knowledge));
  const std::lock_guard lock(kept().mutex);
  return kept().by_machine[key_of(communicator)] = std::move(shared);
}

// Returns the preset as two lines. The first is its name. The second has, for each model, its id, the number of its coefficients,
// and the exact coefficients. Both are empty if there is no preset.
std::string preset_text(const std::optional<MachineCosts>& machine) {
  if (!machine) return "\n\n";
  std::string text = machine->name + '\n';
  for (const auto& [id, coefficients] : machine->models) {
    text += fmt::format("{} {} ", id, coefficients.size());
    for (const auto& [key, value] : coefficients) text += fmt::format("{} {} ", key, value);
  }
  return text + '\n';
}

std::optional<MachineCosts> parse_preset(std::istream& lines) {
  MachineCosts machine;
  std::string figures;
  std::getline(lines, machine.name);
  std::getline(lines, figures);
  if (machine.name.empty()) return std::nullopt;
  std::istringstream words(figures);
  std::size_t how_many = 0;
  for (std::string id; words >> id >> how_many;) {
    Coefficients& coefficients = machine.models[id];
    std::string key, value;
    for (std::size_t i = 0; i < how_many && words >> key >> value; ++i)  // from_chars ignores the program's locale
      std::from_chars(value.data(), value.data() + value.size(), coefficients[key]);
  }
  return machine;
}

std::string text_of(const Knowledge& knowledge) {
  return preset_text(knowledge.on_one_node) + preset_text(knowledge.on_several) + wisdom_text(knowledge.wisdom);
}

std::uint64_t hash_of(const std::string& text) {
  const std::uint64_t hash = words_hash(text);
  return hash == no_knowledge ? 1 : hash;
}

Knowledge parse(const std::string& text) {
  std::istringstream lines(text);
  Knowledge knowledge;
  knowledge.on_one_node = parse_preset(lines);
  knowledge.on_several = parse_preset(lines);
  const auto rest = static_cast<std::size_t>(lines.tellg());
  knowledge.wisdom = parse_wisdom(std::string_view(text).substr(rest), "the wisdom of rank 0");
  knowledge.hash = hash_of(text);
  return knowledge;
}

std::string read_text(const Fingerprint& machine) {
  Knowledge knowledge;
  try {
    knowledge.wisdom = condensed(read_wisdom(wisdom_file(machine), machine));
  } catch (const Error& error) {
    fmt::print(stderr, "quadrille: {}; continuing with estimates\n", error.what());
  }
  knowledge.wisdom.machine = machine;
  knowledge.on_one_node = usual_preset(1);
  knowledge.on_several = usual_preset(2);
  return text_of(knowledge);
}

// Are prices between nodes those of a preset machine that the user has not named?
bool needs_link_speed(const Knowledge& knowledge) {
  try {
    if (machine_of_environment()) return false;
  } catch (const Error&) {}  // usual_preset has warned of it
  return knowledge.on_several && knowledge.wisdom.records.empty() && knowledge.wisdom.executors.empty();
}

std::string with_links_of(Knowledge knowledge, double us_per_byte) {
  knowledge.on_several = with_measured_links(std::move(*knowledge.on_several), us_per_byte);
  return text_of(knowledge);
}

// The model by which plans choose on one node or on several. It needs no network, because plans know none.
Result<ModelChoice> model_for_plans(const MachineCosts& machine, Count nodes) {
  return choose_model(machine, {.has_nodes = nodes > 1});
}

}  // namespace

double measured_us_per_byte(Communicator& communicator) {
  constexpr Bytes few = 8, more = Bytes{24} << 10;  // longer ones take milliseconds over slow links
  Pair pair(communicator);
  const double few_s = pair.seconds(few);  // its first message also makes the connection
  return std::max(0.0, pair.seconds(more) - few_s) * 1e6 / static_cast<double>(more - few);
}

MachineCosts with_measured_links(MachineCosts machine, double us_per_byte) {
  constexpr double clearly_slower = 4;
  const auto found = machine.models.find("max-rate");
  if (found == machine.models.end()) return machine;
  Coefficients& figures = found->second;
  if (us_per_byte <= clearly_slower * figures["node_us_per_byte"]) return machine;
  figures["node_us_per_byte"] = us_per_byte;
  figures["us_per_byte"] = std::max(figures["us_per_byte"], us_per_byte);
  machine.name += fmt::format(" with links of about {:.2g} Gbit/s, as measured here", 8e-3 / us_per_byte);
  return machine;
}

std::optional<MachineCosts> machine_of_environment() {
  const std::string asked = checked_environment_value(preset_variable);
  if (asked.empty()) return std::nullopt;
  const auto fail = [&](const std::string& reason) {
    throw Error(ErrorCode::environment, fmt::format("{} is '{}', but {}", preset_variable, asked, reason));
  };
  MachineCosts machine;
  try {
    machine = find_machine(asked);
  } catch (const Error& error) {
    fail(error.what());
  }
  if (const auto chosen = model_for_plans(machine, 1); !chosen && !model_for_plans(machine, 2)) fail(chosen.error());
  return machine;
}

std::optional<MachineCosts> usual_preset(Count nodes) {
  try {
    if (auto asked = machine_of_environment()) {
      if (const auto chosen = model_for_plans(*asked, nodes))
        return asked;
      else
        warn_once(fmt::format("{} is '{}', but {}; it is ignored", preset_variable, asked->name, chosen.error()));
    }
  } catch (const Error& error) {
    warn_once(fmt::format("{}; it is ignored", error.what()));
  }
  try {
    MachineCosts machine = find_machine(nodes > 1 ? usual_network : usual_node);  // the machine file may be the user's own
    if (model_for_plans(machine, nodes)) return machine;
  } catch (const Error&) {}
  return std::nullopt;  // without a preset, ways without a fit have no predicted time
}

std::shared_ptr<const Knowledge> present_knowledge(Communicator& communicator) {
  const std::lock_guard lock(kept().mutex);
  const auto found = kept().by_machine.find(key_of(communicator));
  return found == kept().by_machine.end() ? nullptr : found->second;
}

FirstKnowledge first_knowledge(Communicator& communicator) {
  if (const auto present = present_knowledge(communicator)) return {text_of(*present)};
  FirstKnowledge first{read_text(fingerprint_at_first(communicator))};
  first.lacks_links = key_of(communicator).second && needs_link_speed(parse(first.text));
  return first;
}

std::shared_ptr<const Knowledge> keep_first(Communicator& communicator, FirstKnowledge first, double us_per_byte) {
  return keep(communicator, parse(first.lacks_links ? with_links_of(parse(first.text), us_per_byte) : first.text));
}

std::shared_ptr<const Knowledge> share_knowledge(Communicator& communicator) {
  FirstKnowledge first;
  std::string text = told_or_thrown(communicator, 0, [&] {
    first = first_knowledge(communicator);
    return first.lacks_links ? std::string() : text_of(*keep_first(communicator, first, 0));
  });
  if (text.empty()) {
    const double us_per_byte = measured_us_per_byte(communicator);
    text = told_or_thrown(communicator, 0, [&] { return text_of(*keep_first(communicator, first, us_per_byte)); });
  }
  auto parsed = made_or_thrown(communicator, [&] { return parse(text); });
  return keep(communicator, std::move(parsed));
}

std::shared_ptr<const Knowledge> learn(Communicator& communicator, const Knowledge& known, const Wisdom& found) {
  Knowledge knowledge = known;
  if (const auto present = present_knowledge(communicator)) knowledge = *present;  // another thread may have added measurements
  knowledge.wisdom.merge(found);
  knowledge.hash = hash_of(text_of(knowledge));
  return keep(communicator, std::move(knowledge));
}

void forget_wisdom() {
  const std::lock_guard lock(kept().mutex);
  kept().by_machine.clear();
}

}  // namespace quadrille

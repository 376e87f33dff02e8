// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille list: algorithms, models and machines.
#include <gtest/gtest.h>

#include <algorithm>

#include "quadrille/algorithm.hpp"
#include "quadrille/model.hpp"
#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST_F(CommandTest, ListsEveryAlgorithmOfTheTable) {
  const std::string text = prints({"list"}), index = prints({"list", "--markdown"});
  const Json json = Json::parse(prints({"list", "--json"}));
  ASSERT_EQ(json.size(), all_algorithms().size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const Algorithm& algorithm = *all_algorithms()[i];
    EXPECT_EQ(json[i]["id"], algorithm.id);
    EXPECT_EQ(json[i]["picture"], algorithm.picture);
    EXPECT_EQ(json[i]["collective"], name(algorithm.collective));
    EXPECT_EQ(json[i]["parameters"].size(), algorithm.parameters.size());
    EXPECT_NE(text.find("\n  " + std::string(algorithm.id) + " "), std::string::npos) << algorithm.id;
    EXPECT_NE(index.find(std::string(algorithm.id)), std::string::npos) << algorithm.id;
    const std::string page = prints({"list", std::string(name(algorithm.collective)), "--markdown"});
    EXPECT_NE(page.find("\n| `" + std::string(algorithm.id) + "` "), std::string::npos) << algorithm.id;
  }
  EXPECT_EQ(Json::parse(prints({"list", "barrier", "--json"})).size(), algorithms_for(Collective::barrier).size());
}

TEST_F(CommandTest, ListsOneEntryAndMarksDefaults) {
  const std::string all = prints({"list", "alltoall"}), one = prints({"list", "alltoall", "bruck"});
  EXPECT_NE(one.find("\n  bruck "), std::string::npos) << one;
  EXPECT_NE(one.find("bruck1997"), std::string::npos) << one;
  EXPECT_EQ(one.find("shift"), std::string::npos) << one;
  EXPECT_LT(one.size(), all.size());
  EXPECT_EQ(Json::parse(prints({"list", "alltoall", "bruck", "--json"}))["id"], "bruck");
  EXPECT_NE(prints({"list", "alltoall", "bruck", "--markdown"}).find("\n| `bruck` |"), std::string::npos);
  refuses({"list", "alltoall", "brukc"}, "did you mean 'bruck'?");
  refuses({"list", "broadcast", "bruck"}, "there is no broadcast algorithm 'bruck'");
  refuses({"list", "alltoall", "bruck", "more"}, "one argument too many");
  refuses({"list", "models", "linear"}, "one argument too many: 'list models' always lists all models");
  for (const Algorithm* algorithm : all_algorithms()) {
    const bool marked = &default_algorithm(algorithm->collective) == algorithm;
    const Words words{"list", std::string(name(algorithm->collective)), std::string(algorithm->id)};
    EXPECT_EQ(prints(words).find("(default) ") != std::string::npos, marked) << algorithm->id;
  }
  EXPECT_NE(prints({"list", "broadcast", "--markdown"}).find("\n| `binomial` (default) |"), std::string::npos);
  const Json json = Json::parse(prints({"list", "--json"}));
  EXPECT_EQ(std::count_if(json.begin(), json.end(), [](const Json& entry) { return entry["default"] == true; }),
            std::ssize(all_collectives()));
}

TEST_F(CommandTest, ListsRatiosToBounds) {
  const std::string text = prints({"list", "barrier", "--ratios"});
  EXPECT_EQ(text, "barrier\n" + prints({"bound", "barrier", "--worst-ratios", "--block", "64KiB"}));
  EXPECT_NE(text.find("\ndissemination        1.00"), std::string::npos) << text;
  refuses({"list", "barrier", "--ratios", "--json"}, "exclude each other");
  refuses({"list", "alltoall", "bruck", "--ratios"}, "leave the algorithm out");
}

TEST_F(CommandTest, ListsModelsAndMachines) {
  const Json models = Json::parse(prints({"list", "models", "--json"})),
             machines = Json::parse(prints({"list", "machines", "--json"}));
  EXPECT_EQ(models.size(), all_models().size());
  EXPECT_EQ(machines.size(), machine_names().size());
  const std::string text = prints({"list", "models"}), table = prints({"list", "models", "--markdown"});
  for (const Model* model : all_models()) {
    EXPECT_NE(text.find(std::string(model->id) + ": "), std::string::npos) << text;
    EXPECT_NE(table.find(model->formula), std::string::npos) << table;
  }
  EXPECT_NE(prints({"list", "machines"}).find("startup_us = 29"), std::string::npos);
  EXPECT_NE(prints({"list", "machines", "--markdown"}).find("| `paragon` |"), std::string::npos);
}

}  // namespace
}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Machine files: those that are installed, errors in others, and writing them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "quadrille/error.hpp"
#include "quadrille/model.hpp"
#include "support/own_folder.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;

class Machines : public testing::OwnFolder {
 protected:
  std::string file() const { return (place_ / "machine.toml").string(); }

  std::string complaint(const std::string& text) const {
    std::ofstream(file()) << text;
    try {
      read_machine(file());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::malformed);
      return error.what();
    }
    return "";
  }
};

TEST_F(Machines, AreInstalledWithTheirSource) {
  EXPECT_EQ(machine_names(), (std::vector<std::string>{"cm5", "efa100", "epyc", "ethernet100", "hdr", "myrinet", "ndr", "paragon",
                                                       "slingshot11", "sp1", "sp2", "t3d", "t3e"}));
  for (const std::string& name : machine_names()) {
    const MachineCosts machine = find_machine(name);
    EXPECT_EQ(machine.name, name);
    EXPECT_FALSE(machine.source.empty());
    EXPECT_FALSE(machine.models.empty());
  }
}

// The models of documents define their machines.
TEST_F(Machines, OfDocumentsAreExact) {
  for (const std::string& name : machine_names()) {
    const MachineCosts machine = find_machine(name);
    EXPECT_EQ(machine.is_exact, !machine.models.contains("max-rate")) << name;
    std::ofstream(file()) << machine_text(machine);
    EXPECT_EQ(read_machine(file()).is_exact, machine.is_exact) << name;
  }
  EXPECT_NE(
      complaint("name = 'x'\ndescription = 'x'\nsource = 'x'\nexact = 1\n[linear]\nstartup_us = 1\ntransfer_us_per_byte = 1\n")
          .find("line 4: 'exact' is neither true nor false"),
      std::string::npos);
}

// Values without a published source are marked as assumed, and every rule belongs to a coefficient of the model.
TEST_F(Machines, OfTodayHaveFiguresForNodesAndMarkAssumptions) {
  for (const char* name : {"efa100", "epyc", "ethernet100", "hdr", "ndr", "slingshot11"}) {
    const MachineCosts machine = find_machine(name);
    const Coefficients& figures = machine.models.at("max-rate");
    EXPECT_LE(figures.at("node_us_per_byte"), figures.at("us_per_byte")) << name;
    EXPECT_LE(figures.at("inside_startup_us"), figures.at("startup_us")) << name;
    EXPECT_LE(figures.at("memory_us_per_byte"), figures.at("inside_us_per_byte")) << name;
    for (const char* key : {"inside_startup_us", "inside_us_per_byte", "memory_us_per_byte", "copy_us_per_byte"})
      EXPECT_TRUE(machine.assumed.at("max-rate").contains(key)) << name << ' ' << key;
    for (const auto& [id, rules] : machine.assumed)
      for (const auto& [key, rule] : rules) EXPECT_TRUE(machine.models.at(id).contains(key)) << name << ' ' << key;
  }
  EXPECT_FALSE(find_machine("hdr").assumed.at("max-rate").contains("startup_us")) << "published";
}

TEST_F(Machines, KeepMarksOfAssumptions) {
  std::ofstream(file()) << "name = 'a'\ndescription = 'b'\nsource = 'c'\n[linear]\nstartup_us = 1\ntransfer_us_per_byte = 2\n"
                           "fixed_us = 3\n[linear.assumed]\nstartup_us = \"twice 'half'\"\nfixed_us = 'a guess'\n";
  const MachineCosts machine = read_machine(file());
  EXPECT_EQ(machine.assumed.at("linear"), (Assumptions{{"startup_us", "twice 'half'"}})) << "it has no fixed part";
  EXPECT_EQ(machine.assumed.at("fitted"), (Assumptions{{"startup_us", "twice 'half'"}, {"fixed_us", "a guess"}}));
  std::ofstream(file()) << machine_text(machine);
  EXPECT_EQ(read_machine(file()).assumed, machine.assumed);
}

TEST_F(Machines, RefuseAssumptionsAboutUnknownCoefficients) {
  const std::string head = "name = 'a'\ndescription = 'b'\nsource = 'c'\n[linear]\nstartup_us = 1\ntransfer_us_per_byte = 2\n";
  const auto expect = [&](const std::string& text, const std::string& sentence) {
    EXPECT_NE(complaint(head + text).find(sentence), std::string::npos) << complaint(head + text);
  };
  expect("assumed = 3\n", "line 7: 'assumed' is not a table");
  expect("[linear.assumed]\nports = 'one'\n", "line 8: 'ports' is assumed, but the table [linear] has no such coefficient");
  expect("[linear.assumed]\nassumed = 'one'\n", "line 8: 'assumed' is assumed, but the table [linear] has no such coefficient");
  expect("[linear.assumed]\nstartup_us = 1\n", "line 8: the rule by which 'startup_us' is assumed is not text");
  expect("[linear.assumed]\nstartup_us = ''\n", "line 8: the rule by which 'startup_us' is assumed is not text");
  expect("[assumed]\nstartup_us = 'x'\n", "there is no 'assumed'");
}

TEST_F(Machines, KeepResiduals) {
  const std::string head = "name = 'a'\ndescription = 'b'\nsource = 'c'\n[linear]\nstartup_us = 1\ntransfer_us_per_byte = 2\n";
  EXPECT_EQ(complaint(head), "");
  EXPECT_TRUE(read_machine(file()).residuals.empty()) << "a file without the table";
  EXPECT_EQ(complaint(head + "[residuals]\n"
                             "barrier = [{by = 'vendor', block = 0, ratio = 1000, spread = 10}]\n"
                             "alltoall = [\n"
                             "  {by = 'ours', block = 8, ratio = 1.25, spread = 0.125},\n"
                             "  {by = 'vendor', block = 8, ratio = 0.001, spread = 0},\n"
                             "  {by = 'ours', block = 4096, ratio = 1, spread = 0.3},\n"
                             "]\n"),
            "");
  const MachineCosts machine = read_machine(file());
  EXPECT_EQ(machine.residuals, (std::vector<Residual>{{Collective::alltoall, Implementation::ours, 8, 1.25, 0.125},
                                                      {Collective::alltoall, Implementation::vendor, 8, 0.001, 0},
                                                      {Collective::alltoall, Implementation::ours, 4096, 1, 0.3},
                                                      {Collective::barrier, Implementation::vendor, 0, 1000, 10}}));
  EXPECT_TRUE(machine.residual_node_sizes.empty()) << "not known";
  const std::string text = machine_text(machine);
  std::ofstream(file()) << text;
  EXPECT_EQ(read_machine(file()).residuals, machine.residuals);
  EXPECT_EQ(machine_text(read_machine(file())), text);
  MachineCosts wrong = machine;
  wrong.residuals[0].ratio = 1e6;
  EXPECT_THROW(machine_text(wrong), Error) << "could not be read again";
}

TEST_F(Machines, KeepTheLoadAndTheDateOfResiduals) {
  const std::string head = "name = 'a'\ndescription = 'b'\nsource = 'c'\n[linear]\nstartup_us = 1\ntransfer_us_per_byte = 2\n";
  EXPECT_EQ(complaint(head + "[residuals]\ndate = '2026-11-30'\nalltoall = [\n"
                             "  {by = 'ours', block = 8, ratio = 1, spread = 0, noise = 0.5},\n"
                             "  {by = 'ours', block = 8, ratio = 2, spread = 0, load = 'succession'},\n]\n"),
            "");
  const MachineCosts machine = read_machine(file());
  EXPECT_EQ(machine.residual_date, "2026-11-30");
  EXPECT_EQ(machine.residuals, (std::vector<Residual>{{Collective::alltoall, Implementation::ours, 8, 1, 0, 0.5, false},
                                                      {Collective::alltoall, Implementation::ours, 8, 2, 0, 0, true}}));
  std::ofstream(file()) << machine_text(machine);
  EXPECT_EQ(read_machine(file()).residuals, machine.residuals);
  EXPECT_EQ(read_machine(file()).residual_date, machine.residual_date);
  EXPECT_NE(complaint(head + "[residuals]\ndate = 3\n").find("line 8: 'date' is not text"), std::string::npos);
  EXPECT_NE(complaint(head + "[residuals]\nalltoall = [{by = 'ours', block = 8, ratio = 1, spread = 0, load = 'busy'}]\n")
                .find("line 8: the load of a residual is not 'succession'"),
            std::string::npos);
}

TEST_F(Machines, KeepTheNodeSizesOfResiduals) {
  EXPECT_EQ(complaint("name = 'a'\ndescription = 'b'\nsource = 'c'\n[linear]\nstartup_us = 1\ntransfer_us_per_byte = 2\n"
                      "[residuals]\nnode_sizes = [4, 4, 1]\nbarrier = [{by = 'ours', block = 0, ratio = 2, spread = 1}]\n"),
            "");
  const MachineCosts machine = read_machine(file());
  EXPECT_EQ(machine.residual_node_sizes, (std::vector<Count>{4, 4, 1}));
  EXPECT_EQ(machine.residuals.size(), 1u);
  const std::string text = machine_text(machine);
  std::ofstream(file()) << text;
  EXPECT_EQ(read_machine(file()).residual_node_sizes, machine.residual_node_sizes);
  EXPECT_EQ(machine_text(read_machine(file())), text);
  MachineCosts wrong = machine;
  wrong.residual_node_sizes.push_back(0);
  EXPECT_THROW(machine_text(wrong), Error) << "could not be read again";
}

TEST_F(Machines, RefuseResidualsThatMakeNoSense) {
  const std::string head = "name = 'a'\ndescription = 'b'\nsource = 'c'\n[linear]\nstartup_us = 1\ntransfer_us_per_byte = 2\n";
  const auto expect = [&](const std::string& text, const std::string& sentence) {
    EXPECT_NE(complaint(head + text).find(sentence), std::string::npos) << complaint(head + text);
  };
  EXPECT_NE(complaint("residuals = 3\n" + head).find("line 1: 'residuals' is not a table"), std::string::npos);
  expect("[[residuals]]\n", "line 7: 'residuals' is not a table");
  expect("[residuals]\nalltoal = []\n", "line 8: there is no 'alltoal'; there are: alltoall, ");
  expect("[residuals]\nalltoall = 3\n", "line 8: the residuals of alltoall are not a list");
  expect("[residuals]\nalltoall = [\n3]\n",
         "line 9: a residual of alltoall is not a table such as {by = 'ours', block = 8, ratio = 1.2, spread = 0.1}");
  for (const char* sizes : {"4", "[]", "[4, 0]", "[-1]", "[4, 1.0]", "[4, '4']", "[[4]]", "{node = 4}", "[99999999999999999999]"})
    EXPECT_NE(complaint(head + "[residuals]\nnode_sizes = " + sizes + "\n").find("line 8: "), std::string::npos) << sizes;
  expect("[residuals]\nnode_sizes = [4, 0]\n",
         "line 8: 'node_sizes' is not a list of the numbers of ranks of each node, such as [4, 4]");
  expect("node_sizes = [4, 4]\n", "line 7: there is no 'node_sizes'");
  const auto entry = [](const std::string& fields) { return "[residuals]\nalltoall = [\n{" + fields + "}]\n"; };
  expect(entry("by = 'them', block = 8, ratio = 1, spread = 0"), "line 9: a residual is not by 'ours' or 'vendor'");
  expect(entry("block = 8, ratio = 1, spread = 0"), "line 9: a residual is not by 'ours' or 'vendor'");
  expect(entry("by = 'ours', ratio = 1, spread = 0"), "line 9: a residual has no 'block'");
  expect(entry("by = 'ours', block = 8, spread = 0"), "line 9: a residual has no 'ratio'");
  expect(entry("by = 'ours', block = 8, ratio = 1"), "line 9: a residual has no 'spread'");
  expect(entry("by = 'ours', block = 8, ratio = 1, spread = 0, calls = 2"),
         "line 9: there is no 'calls'; there are: by, load, block, ratio");
  expect(entry("by = 'ours', block = 1.5, ratio = 1, spread = 0"), "line 9: 'block' is 1.5; it must be a whole number from 0");
  expect(entry("by = 'ours', block = -1, ratio = 1, spread = 0"), "line 9: 'block' is -1");
  expect(entry("by = 'ours', block = 8, ratio = 0.0009, spread = 0"), "line 9: 'ratio' is 0.0009; it must be from 0.001 to 1000");
  expect(entry("by = 'ours', block = 8, ratio = 1001, spread = 0"), "line 9: 'ratio' is 1001");
  expect(entry("by = 'ours', block = 8, ratio = 'one', spread = 0"), "line 9: 'ratio' is not a number");
  expect(entry("by = 'ours', block = 8, ratio = 1, spread = -0.1"), "line 9: 'spread' is -0.1; it must be from 0 to 10");
  expect(entry("by = 'ours', block = 8, ratio = 1, spread = nan"), "line 9: 'spread' is nan");
  expect(
      "[residuals]\nalltoall = [{by = 'ours', block = 8, ratio = 1, spread = 0},\n{by = 'ours', block = 8, ratio = 2, spread = "
      "0}]\n",
      "line 9: there is a second residual of alltoall by ours with blocks of 8 B");
}

// [liu2002], table 1: T_s in us, and t_c + t_d in us per byte.
TEST_F(Machines, HaveTheFiguresOfTheIrregularExchangesTable) {
  const std::vector<std::tuple<std::string, double, double>> table{
      {"cm5", 85, 0.12}, {"sp2", 44, 0.035}, {"t3d", 38, 0.043}, {"t3e", 28, 0.006}, {"myrinet", 68, 0.027}};
  for (const auto& [name, startup, per_byte] : table) {
    const MachineCosts machine = find_machine(name);
    const Coefficients& flat = coefficients_of(machine, *find_model("flat"));
    EXPECT_DOUBLE_EQ(flat.at("startup_us"), startup) << name;
    EXPECT_DOUBLE_EQ(flat.at("compose_us_per_byte") + flat.at("copy_us_per_byte") + flat.at("wire_us_per_byte"), per_byte) << name;
    EXPECT_DOUBLE_EQ(machine.models.at("linear").at("startup_us"), startup) << name;
    EXPECT_DOUBLE_EQ(machine.models.at("linear").at("transfer_us_per_byte"), per_byte) << name;
    EXPECT_EQ(machine.models.at("flat").at("overlap"), name == "cm5" || name == "t3d" ? 0 : 1) << name;
    EXPECT_FALSE(machine.models.contains("torus")) << "the paper has no figures for that";
  }
}

TEST_F(Machines, HaveTheFiguresOfTheOtherPapers) {
  EXPECT_EQ(find_machine("sp1").models.at("linear"),
            (Coefficients{{"startup_us", 29}, {"transfer_us_per_byte", 0.12}, {"ports", 1}}));
  EXPECT_EQ(find_machine("paragon").models.at("torus"),
            (Coefficients{{"startup_us", 75}, {"wire_us_per_byte", 0.011}, {"rearrange_us_per_byte", 0.014}}));
}

TEST_F(Machines, SayWhatIsWrongWithAFile) {
  const std::string head = "name = 'a'\ndescription = 'b'\nsource = 'c'\n",
                    flat = "[flat]\nstartup_us = 1\ncompose_us_per_byte = 0\ncopy_us_per_byte = 0.5\n";
  EXPECT_EQ(complaint(head + flat + "wire_us_per_byte = 2.0\ncontention = 1.5\n"), "");
  EXPECT_EQ(read_machine(file()).models.at("flat").at("contention"), 1.5);
  // A second model reads the same table and has one more coefficient, which the first model must not get.
  EXPECT_EQ(read_machine(file()).models.at("free-running").at("contention"), 1.5);
  EXPECT_EQ(complaint(head + flat + "wire_us_per_byte = 2.0\nblocking_contention = 2.5\n"), "");
  const MachineCosts shared = read_machine(file());
  EXPECT_EQ(shared.models.at("free-running").at("blocking_contention"), 2.5);
  EXPECT_EQ(shared.models.at("free-running").at("contention"), 1);
  EXPECT_EQ(shared.models.at("free-running").at("wire_us_per_byte"), 2);
  EXPECT_FALSE(shared.models.at("flat").contains("contention"));
  std::ofstream(file()) << machine_text(shared);
  EXPECT_EQ(read_machine(file()).models, shared.models);
  EXPECT_NE(complaint(head + "[free-running]\nstartup_us = 1\n")
                .find("line 4: the model free-running has no table of its own; it reads the table [flat]"),
            std::string::npos);
  // The factors of the fitted model may stand in the table of the linear model; a file without factors supports the
  // fitted model, too.
  const std::string linear = "[linear]\nstartup_us = 1\ntransfer_us_per_byte = 2\n";
  EXPECT_EQ(complaint(head + linear), "");
  EXPECT_EQ(read_machine(file()).models.at("fitted").at("startup_factor"), 1);
  EXPECT_EQ(read_machine(file()).models.at("fitted").at("fixed_us"), 0);
  EXPECT_EQ(complaint(head + linear + "startup_factor = 1.5\nfixed_us = 100\n"), "");
  EXPECT_EQ(read_machine(file()).models.at("fitted").at("startup_factor"), 1.5);
  EXPECT_EQ(read_machine(file()).models.at("fitted").at("fixed_us"), 100);
  EXPECT_FALSE(read_machine(file()).models.at("linear").contains("startup_factor"));
  EXPECT_NE(complaint(head + "[fitted]\nstartup_us = 1\n")
                .find("line 4: the model fitted has no table of its own; it reads the table [linear]"),
            std::string::npos);
  EXPECT_NE(complaint(head + flat).find("line 4: 'wire_us_per_byte' is missing in the table [flat]"), std::string::npos)
      << complaint(head + flat);
  EXPECT_NE(complaint(head).find("there is no table of a model; there are: max-rate, torus, cluster, flat, loggp, linear"),
            std::string::npos);
  EXPECT_NE(complaint(flat + "wire_us_per_byte = 1\n").find("'name' is missing"), std::string::npos);
  for (const std::string wrong : {"-1", "nan", "inf", "-inf", "1e30"})
    EXPECT_NE(complaint(head + flat + "wire_us_per_byte = " + wrong + '\n').find("line 8: 'wire_us_per_byte' is "),
              std::string::npos)
        << complaint(head + flat + "wire_us_per_byte = " + wrong + '\n');
  EXPECT_NE(complaint(head + flat + "wire_us_per_byte = 'much'\n").find("line 8: 'wire_us_per_byte' is not a number"),
            std::string::npos);
  EXPECT_NE(
      complaint(head + flat + "wire_us_per_byte = 1\ncontention = 0.5").find("line 9: 'contention' is 0.5; it must be from 1"),
      std::string::npos);
  for (const std::string wrong : {"0.5", "7"})
    EXPECT_NE(complaint(head + flat + "wire_us_per_byte = 1\noverlap = " + wrong).find("it must be a whole number from 0 to 1"),
              std::string::npos);
  EXPECT_NE(complaint(head + "[linear]\nstartup_us = 1\ntransfer_us_per_byte = 1\nports = 1.5").find("line 7: 'ports' is 1.5"),
            std::string::npos);
  EXPECT_NE(complaint(head + flat + "wire_us = 1\n").find("line 8: there is no 'wire_us'"), std::string::npos);
  EXPECT_NE(complaint(head + "[nothing]\n").find("line 4: there is no 'nothing'"), std::string::npos);
  EXPECT_NE(complaint(head + "flat = 3\n").find("line 4: 'flat' is not a table"), std::string::npos);
  EXPECT_NE(complaint(head + "name = 'again'\n").find("line 4"), std::string::npos);
  EXPECT_NE(complaint("]").find("line 1"), std::string::npos);
  fs::remove(file());
  EXPECT_THROW(read_machine(file()), Error);
}

TEST_F(Machines, AreFoundByNameAndByFile) {
  const auto complaint_of = [](const std::string& name) -> std::string {
    try {
      find_machine(name);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::misuse);
      return error.what();
    }
    return "";
  };
  EXPECT_NE(complaint_of("sp22").find("did you mean 'sp2'?"), std::string::npos) << complaint_of("sp22");
  EXPECT_NE(complaint_of("this-machin").find("did you mean 'this-machine'?"), std::string::npos);
  EXPECT_NE(complaint_of("this-machine").find("quadrille calibrate"), std::string::npos);
  EXPECT_NE(complaint_of("").find("there is no machine ''"), std::string::npos);

  MachineCosts own = find_machine("sp2");
  own.name = "this-machine";
  fs::create_directories(user_machine_folder());
  std::ofstream(fs::path(user_machine_folder()) / "this-machine.toml") << machine_text(own);
  EXPECT_EQ(find_machine("this-machine").name, "this-machine");
  EXPECT_EQ(machine_names().size(), 14u);
  std::ofstream(file()) << machine_text(own);
  EXPECT_EQ(find_machine(file()).models, own.models);
}

TEST_F(Machines, AreTheSameWhenWrittenAndRead) {
  for (const std::string& name : machine_names()) {
    const MachineCosts machine = find_machine(name);
    std::ofstream(file()) << machine_text(machine, {"a remark", "another"});
    const MachineCosts again = read_machine(file());
    EXPECT_EQ(again.name, machine.name);
    EXPECT_EQ(again.description, machine.description);
    EXPECT_EQ(again.source, machine.source);
    EXPECT_EQ(again.models, machine.models);
    EXPECT_EQ(again.residuals, machine.residuals);
    EXPECT_EQ(again.residual_node_sizes, machine.residual_node_sizes);
  }
  for (const double impossible : {1e11, 3.7e7, -1.0, std::nan(""), HUGE_VAL}) {
    MachineCosts wrong = find_machine("sp2");
    wrong.models.at("linear").at("startup_us") = impossible;
    EXPECT_THROW(machine_text(wrong), Error) << impossible << " could not be read again";
  }
  MachineCosts odd = find_machine("sp2");
  odd.description = "quotes ' and \" and\na line";
  std::ofstream(file()) << machine_text(odd);
  EXPECT_EQ(read_machine(file()).description, odd.description);
}

}  // namespace
}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
// Tests of `quadrille doctor` with faults that need no MPI library; tests/mpi_face/wrap_test.sh has the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;
using ::testing::Not;

class DoctorTest : public CommandTest {
 protected:
  struct Report {
    int exit_code = 0;
    std::map<std::string, Json> lines;  // by their subjects

    std::string state(const std::string& subject) const { return lines.at(subject)["state"]; }
    std::string value(const std::string& subject) const { return lines.at(subject)["value"]; }
    std::string advice(const std::string& subject) const { return lines.at(subject)["advice"]; }
  };

  // The report of a process that a shell starts after it has run `before`, with a PATH in which only our mpirun is found.
  Report after(const std::string& before, const std::string& arguments = "") const {
    const std::string script = before + "; PATH=" + place_.string() + " exec \"$0\" doctor --json " + arguments;
    const Outcome outcome = run_program({"sh", "-c", script, QUADRILLE_COMMAND});
    const Json json = Json::parse(outcome.out, nullptr, false);
    EXPECT_TRUE(json.is_object()) << outcome.talk;
    if (!json.is_object()) return {};
    EXPECT_EQ(json["format"], "quadrille-doctor/1");
    EXPECT_EQ(json["ok"], outcome.exit_code == 0);
    Report report{.exit_code = outcome.exit_code};
    bool has_fault = false;
    for (const Json& line : json["lines"]) {
      report.lines[line["subject"]] = line;
      has_fault |= line["state"] == "fault";
      EXPECT_EQ(line["state"] == "ok", line["advice"] == "") << line;
    }
    EXPECT_EQ(outcome.exit_code, has_fault ? 1 : 0);
    return report;
  }

  void write_program(const std::string& name, const std::string& text) const {
    fs::permissions(write(name, text), fs::perms::owner_all);
  }
};

TEST_F(DoctorTest, TellsTheMpiOfMpirun) {
  EXPECT_THAT(after("true").advice("mpirun"), HasSubstr("there is no program mpirun in the folders of PATH"));
  const std::vector<std::pair<std::string, std::string>> said{{"mpirun (Open MPI) 4.1.4", "Open MPI"},
                                                              {"mpirun.openmpi (OpenRTE) 4.1.4", "Open MPI"},
                                                              {"HYDRA build details:", "MPICH"},
                                                              {"Intel(R) MPI Library for Linux* OS, Version 2021.9", "MPICH"},
                                                              {"slurm 22.05.8", "an unknown MPI library"}};
  for (const auto& [words, title] : said) {
    write_program("mpirun", "#!/bin/sh\necho '" + words + "'\n");
    const Report report = after("true");
    EXPECT_EQ(report.value("mpirun"), file("mpirun").string() + ", of " + title);
    EXPECT_EQ(report.state("mpirun"), "ok");
    EXPECT_EQ(report.lines.contains("drop-in"), title != "an unknown MPI library");
  }
  write_program("mpirun", "#!/bin/sh\nexit 3\n");
  EXPECT_THAT(after("true").advice("mpirun"), HasSubstr("exit code 3"));
}

TEST_F(DoctorTest, RefusesProgramsWithTheSentencesOfWrap) {
  write("plain", "text");
  write_program("text", "text");
  for (const char* const program : {"nothing", "./nothing", "plain", "text"}) {
    const std::string path = program[0] == '.' || fs::exists(file(program)) ? file(program).string() : program;
    const Report report = after("true", path);
    EXPECT_EQ(report.exit_code, 1);
    EXPECT_EQ(report.state("program"), "fault");
    refuses({"wrap", path}, report.advice("program"));
  }
}

TEST_F(DoctorTest, SaysThatAScriptHidesTheProgram) {
  write_program("job", "#!/bin/sh\nexec ./app\n");
  const Report report = after("true", file("job").string());
  EXPECT_EQ(report.value("program"), file("job").string() + ", a script that /bin/sh runs, linked with no MPI library");
  EXPECT_THAT(report.advice("program"), HasSubstr("the script hides"));
  EXPECT_EQ(report.state("program"), "advice");
  EXPECT_THAT(after("true", "/bin/sh").advice("program"), HasSubstr("that library's mpirun"));
}

TEST_F(DoctorTest, DescribesMemory) {
  const Report report = after("ulimit -v unlimited");
  EXPECT_EQ(report.state("memory"), "ok");
  EXPECT_EQ(report.lines.at("memory")["pid_namespace"],
            fs::exists("/proc/self/ns/pid") ? std::stoull(fs::read_symlink("/proc/self/ns/pid").string().substr(5)) : 0);
  EXPECT_THAT(report.value("memory"), HasSubstr("pid namespace " + report.lines.at("memory")["pid_namespace"].dump()));
  EXPECT_EQ(report.lines.at("memory")["plan_memory_bytes"], 64 << 20);
  EXPECT_FALSE(report.lines.at("memory").contains("address_limit_bytes"));

  const Report limited = after("ulimit -v 4194304; export QUADRILLE_PLAN_MEMORY=3MiB QUADRILLE_HEAP=off");
  EXPECT_EQ(limited.lines.at("memory")["address_limit_bytes"], 4LL << 30);
  EXPECT_LT(limited.lines.at("memory")["free_address_bytes"], 4LL << 30);
  EXPECT_GT(limited.lines.at("memory")["free_address_bytes"], 2LL << 30);
  EXPECT_EQ(limited.lines.at("memory")["plan_memory_bytes"], 3 << 20);
  EXPECT_THAT(limited.advice("heap"), HasSubstr("QUADRILLE_HEAP is off"));

  const Report small = after("ulimit -f 1000");
  EXPECT_EQ(small.state("memory"), "advice");
  EXPECT_THAT(small.advice("memory"), HasSubstr("the limit of file sizes (ulimit -f)"));
}

// A small /dev/shm, as containers have it.
TEST_F(DoctorTest, FindsASmallSharedFolder) {
  if (::geteuid() != 0 || std::system("unshare -m mount -t tmpfs none /dev/shm 2>/dev/null") != 0)
    GTEST_SKIP() << "mounting needs root";
  const Outcome outcome = run_program(
      {"unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=1m none /dev/shm && exec \"$0\" doctor --json", QUADRILLE_COMMAND});
  EXPECT_EQ(outcome.exit_code, 1);
  const Json json = Json::parse(outcome.out);
  for (const Json& line : json["lines"])
    if (line["subject"] == "/dev/shm") {
      EXPECT_EQ(line["state"], "fault");
      EXPECT_EQ(line["size_bytes"], 1 << 20);
      EXPECT_THAT(line["advice"].get<std::string>(), HasSubstr("--shm-size"));
    }
}

TEST_F(DoctorTest, FindsADamagedWisdomFile) {
  const Report report = after("export QUADRILLE_WISDOM=" + write("wisdom.json", "{").string());
  EXPECT_EQ(report.state("wisdom"), "advice");
  EXPECT_THAT(report.advice("wisdom"), HasSubstr(file("wisdom.json").string()));
  EXPECT_THAT(after("export QUADRILLE_WISDOM=off").value("wisdom"), HasSubstr("off"));
}

TEST_F(DoctorTest, FindsThatHwlocSeesNoMachine) {
  const Report report = after("export HWLOC_COMPONENTS=stop");
  EXPECT_EQ(report.state("hwloc"), "advice");
}

TEST_F(DoctorTest, TellsCores) {
  const std::string bind = "taskset -pc $(taskset -pc $$ | sed 's/.*: //; s/[-,].*//') $$ >/dev/null";
  const Report bound = after(bind);
  EXPECT_EQ(bound.lines.at("cores")["allowed"], 1);
  EXPECT_EQ(bound.state("cores") == "advice", bound.lines.at("cores")["all"] > 1);
  EXPECT_EQ(after(bind + "; export PMI_RANK=0").state("cores"), "ok") << "mpirun has bound this rank";
}

TEST_F(DoctorTest, PrintsALineForEachSubject) {
  const Outcome outcome = run({"doctor"});
  for (const char* const subject :
       {"quadrille", "mpirun", "memory", "ptrace", "heap", "/dev/shm", "cgroup", "cores", "hwloc", "wisdom"})
    EXPECT_THAT(outcome.out, ::testing::ContainsRegex("(^|\n)" + std::string(subject) + " +[^ ]")) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr(": ok\n"));
}

TEST_F(DoctorTest, RefusesAnInvalidPlanMemory) {
  const Outcome outcome = run_program({"env", "QUADRILLE_PLAN_MEMORY=much", QUADRILLE_COMMAND, "doctor"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.talk, HasSubstr("QUADRILLE_PLAN_MEMORY"));
}

}  // namespace
}  // namespace quadrille

// SPDX-License-Identifier: BSD-3-Clause
#include "watch/places.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tools/watch/programs.hpp"

namespace quadrille::command {
namespace {

using ::testing::MatchesRegex;

class PlacesTest : public quadrille::testing::WatchTest {
 protected:
#ifndef QUADRILLE_LIBDW
  void SetUp() override { GTEST_SKIP() << "skipped: built without libdw"; }
#endif
};

// Prints to where `here` returns, and waits.
constexpr const char* waits_here = R"(#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) void here(void) {
  printf("%p\n", __builtin_return_address(0));
  fflush(stdout);
  for (;;) pause();
}
__attribute__((noinline)) void here_(void) {
  printf("%p\n", __builtin_return_address(0));
  fflush(stdout);
  for (;;) pause();
}
)";

constexpr const char* caller = R"(
void here(void);
static volatile int steps;
static inline __attribute__((always_inline)) void exchange_halo(void) {
  here(); /* INLINED */
  ++steps;
}
__attribute__((noinline)) void residual(void) {
  here(); /* HERE */
  ++steps;
}
__attribute__((noinline)) void sweep(void) {
  exchange_halo();
  steps = 3;
}
int main(int argc, char** argv) {
  (void)argv;
  if (argc > 1)
    sweep();
  else
    residual();
  return steps;
}
)";

TEST_F(PlacesTest, LinesComeFromDebugInformation) {
  write("here.c", waits_here);
  write("solver.c", caller);
  SourcePlaces places;
  for (const char* compiler : {"gcc", "clang"})
    for (const char* options : {"-g -O0", "-g -O2", "-g -O2 -no-pie", "-g1 -O2", "-g -O2 -fuse-ld=gold"}) {
      SCOPED_TRACE(std::string(compiler) + ' ' + options);
      if (!has(compiler) || (std::string(options).find("gold") != std::string::npos && !has("ld.gold"))) continue;
      shell(fmt::format("{} {} solver.c here.c -o app", compiler, options));
      const quadrille::testing::Running direct({file("app")}), inlined({file("app"), "1"});
      EXPECT_EQ(places.of(direct.address(), modules_of(direct.process())),
                fmt::format("solver.c:{} (residual)", line_of("solver.c", "/* HERE */")));
      EXPECT_EQ(places.of(inlined.address(), modules_of(inlined.process())),
                fmt::format("solver.c:{} (exchange_halo)", line_of("solver.c", "/* INLINED */")));
      std::filesystem::remove(file("app"));
    }
}

TEST_F(PlacesTest, WithoutDebugInformationThereAreSymbolsOrOffsets) {
  write("here.c", waits_here);
  write("solver.c", caller);
  shell("gcc -O2 solver.c here.c -o app && gcc -O2 -no-pie solver.c here.c -o fixed && strip fixed && cp app bare && strip bare");
  const quadrille::testing::Running app({file("app")}), bare({file("bare")}), fixed({file("fixed")});
  SourcePlaces places;
  EXPECT_THAT(places.of(app.address(), modules_of(app.process())), MatchesRegex("residual\\+0x[0-9a-f]+ \\(app\\)"));

  const auto modules = modules_of(bare.process());
  const Module* const module = module_at(bare.address() - 1, modules);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(places.of(bare.address(), modules), fmt::format("bare+{:#x}", bare.address() - 1 - module->begin + module->offset));
  EXPECT_EQ(places.of(fixed.address(), modules_of(fixed.process())), fmt::format("fixed+{:#x}", fixed.address() - 1));

  EXPECT_EQ(places.of(0, modules), "");
  EXPECT_EQ(places.of(16, modules), "0x10") << "no module has it";
}

TEST_F(PlacesTest, LibrariesThatAProgramLoadsHaveLines) {
  write("here.c", waits_here);
  write("plug_in.c", "void here(void);\nvolatile int steps;\nvoid step(void) {\n  here();\n  ++steps;\n}\n");
  write("app.c",
        "#include <dlfcn.h>\nint main(void) { ((void (*)(void))dlsym(dlopen(\"./plug_in.so\", RTLD_NOW), \"step\"))(); }\n");
  shell("gcc -g -O2 -shared -fPIC plug_in.c -o plug_in.so && gcc -rdynamic app.c here.c -o app -ldl");
  const quadrille::testing::Running app({"sh", "-c", "cd '" + place_.string() + "' && exec ./app"});
  SourcePlaces places;
  EXPECT_EQ(places.of(app.address(), modules_of(app.process())), "plug_in.c:4 (step)");
}

TEST_F(PlacesTest, FortranHasLines) {
  if (!has("gfortran")) GTEST_SKIP() << "skipped: no gfortran";
  write("here.c", waits_here);
  write("flow.f90",
        "module solver\ncontains\n  subroutine residual(n)\n    integer, intent(inout) :: n\n    call here()\n    n = n + 1\n"
        "  end subroutine\nend module\nprogram flow\n  use solver\n  integer :: n = 0\n  call residual(n)\n  print *, n\nend "
        "program\n");
  shell("gcc -c here.c && gfortran -g -O0 flow.f90 here.o -o flow");
  const quadrille::testing::Running app({file("flow")});
  SourcePlaces places;
  EXPECT_EQ(places.of(app.address(), modules_of(app.process())), "flow.f90:5 (residual)");
}

// What the compiler inlines from <algorithm> stands for the user's line. Names of C++ have no arguments.
TEST_F(PlacesTest, CodeOfSystemHeadersStandsForTheLineThatUsesIt) {
  write("here.c", waits_here);
  write("solver.cpp", R"(#include <algorithm>
extern "C" void here();
volatile int steps;
namespace flow {
namespace {
__attribute__((noinline)) void at_each(int) {
  here();
  steps = 1;
}
}
__attribute__((noinline)) void residual(int* values, void (*each)(int)) {
  std::for_each(values, values + 3, each);  // EACH
  steps = 2;
}
}
int main(int argc, char**) {
  int values[3] = {};
  if (argc > 1)
    flow::at_each(1);
  else
    flow::residual(values, [](int) { steps = 1; });
  flow::residual(values, reinterpret_cast<void (*)(int)>(&here));
}
)");
  shell("gcc -c here.c && g++ -O2 solver.cpp here.o -o plain && g++ -g -O2 solver.cpp here.o -o app");
  SourcePlaces places;
  const quadrille::testing::Running plain({file("plain"), "1"});
  EXPECT_THAT(places.of(plain.address(), modules_of(plain.process())), MatchesRegex("flow::at_each\\+0x[0-9a-f]+ \\(plain\\)"));

  const quadrille::testing::Running app({file("app")});
  EXPECT_EQ(places.of(app.address(), modules_of(app.process())),
            fmt::format("solver.cpp:{} (residual)", line_of("solver.cpp", "// EACH")));
}

TEST_F(PlacesTest, LinesOutliveTheProcessButNotTheFile) {
  write("here.c", waits_here);
  write("solver.c", caller);
  for (const char* options : {"-g -O2", "-g -O2 -Wl,--build-id=none"}) {
    SCOPED_TRACE(options);
    shell(fmt::format("gcc {} solver.c here.c -o app", options));
    quadrille::testing::Running app({file("app")});
    const auto modules = modules_of(app.process());
    const std::uint64_t address = app.address();
    app.end();
    EXPECT_THAT(SourcePlaces().of(address, modules), MatchesRegex("solver.c:[0-9]+ \\(residual\\)"));

    shell(fmt::format("rm app && gcc {} -include stdlib.h solver.c here.c -o app", options));
    EXPECT_THAT(SourcePlaces().of(address, modules), MatchesRegex("app\\+0x[0-9a-f]+")) << "another program has the name now";

    const quadrille::testing::Running other({file("app")});
    std::filesystem::remove(file("app"));
    EXPECT_THAT(SourcePlaces().of(other.address(), modules_of(other.process())), MatchesRegex("app\\+0x[0-9a-f]+"));
  }
}

TEST_F(PlacesTest, DebugFilesAreFoundByBuildId) {
  for (const Module& module : modules_of(::getpid())) {
    if (!base_name(module.path).starts_with("libc.so")) continue;
    const std::string id = module.build_id;
    const auto printf_address = address_of("printf", module);
    ASSERT_TRUE(printf_address);
    EXPECT_FALSE(address_of("no_such_function", module));
    ASSERT_GT(id.size(), 2u);
    if (!std::filesystem::exists("/usr/lib/debug/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug"))
      GTEST_SKIP() << "skipped: the C library has no debug file";
    EXPECT_THAT(SourcePlaces().of(*printf_address + 8, {&module, 1}), MatchesRegex("printf.c:[0-9]+ \\(.*printf\\)"));
    return;
  }
  GTEST_SKIP() << "skipped: no C library";
}

TEST(MpiBinding, IsAllBetweenTheProgramAndTheNetwork) {
  for (const char* path :
       {"/usr/lib/libmpi.so.40.30.4", "/usr/lib/libmpich.so.12", "/usr/lib/libmpi_mpifh.so.40", "/opt/libmpifort.so.12",
        "/usr/lib/libopen-pal.so.40", "/usr/lib/openmpi/mca_pml_ob1.so", "/q/libquadrille-openmpi.so", "/usr/lib/libucp.so.0",
        "/usr/lib/python3/dist-packages/mpi4py/MPI.cpython-311-x86_64-linux-gnu.so", "/opt/libmpi.so.12 (deleted)"})
    EXPECT_TRUE(is_mpi_binding({.path = path})) << path;
  for (const char* path :
       {"/home/u/app", "/home/u/libmpm.so", "/usr/bin/python3.11", "/usr/lib/libc.so.6", "/home/u/MPI.py", "[vdso]"})
    EXPECT_FALSE(is_mpi_binding({.path = path})) << path;
}

}  // namespace
}  // namespace quadrille::command

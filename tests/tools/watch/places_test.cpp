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
  // The place of the address that the program has printed.
  static std::string place_in(const quadrille::testing::Running& program) {
    SourcePlaces places;
    places.read(program.process());
    return places.of(program.address());
  }

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
  for (const char* compiler : {"gcc", "clang"})
    for (const char* options : {"-g -O0", "-g -O2", "-g -O2 -no-pie", "-g1 -O2", "-g -O2 -fuse-ld=gold"}) {
      SCOPED_TRACE(std::string(compiler) + ' ' + options);
      if (!has(compiler) || (std::string(options).find("gold") != std::string::npos && !has("ld.gold"))) continue;
      shell(fmt::format("{} {} solver.c here.c -o app", compiler, options));
      const quadrille::testing::Running direct({file("app")}), inlined({file("app"), "1"});
      EXPECT_EQ(place_in(direct), fmt::format("solver.c:{} (residual)", line_of("solver.c", "/* HERE */")));
      EXPECT_EQ(place_in(inlined), fmt::format("solver.c:{} (exchange_halo)", line_of("solver.c", "/* INLINED */")));
      std::filesystem::remove(file("app"));
    }
}

TEST_F(PlacesTest, WithoutDebugInformationThereAreSymbolsOrOffsets) {
  write("here.c", waits_here);
  write("solver.c", caller);
  shell("gcc -O2 solver.c here.c -o app && gcc -O2 -no-pie solver.c here.c -o fixed && strip fixed && cp app bare && strip bare");
  const quadrille::testing::Running app({file("app")}), bare({file("bare")}), fixed({file("fixed")});
  EXPECT_THAT(place_in(app), MatchesRegex("residual\\+0x[0-9a-f]+ \\(app\\)"));

  SourcePlaces places;
  places.read(bare.process());
  const Module* const module = places.module_at(bare.address() - 1);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(places.of(bare.address()), fmt::format("bare+{:#x}", bare.address() - 1 - module->begin + module->offset));
  EXPECT_EQ(place_in(fixed), fmt::format("fixed+{:#x}", fixed.address() - 1));

  EXPECT_EQ(places.of(0), "");
  EXPECT_EQ(places.of(16), "0x10") << "no module has it";
}

TEST_F(PlacesTest, LibrariesThatAProgramLoadsHaveLines) {
  write("here.c", waits_here);
  write("plug_in.c", "void here(void);\nvolatile int steps;\nvoid step(void) {\n  here();\n  ++steps;\n}\n");
  write("app.c",
        "#include <dlfcn.h>\nint main(void) { ((void (*)(void))dlsym(dlopen(\"./plug_in.so\", RTLD_NOW), \"step\"))(); }\n");
  shell("gcc -g -O2 -shared -fPIC plug_in.c -o plug_in.so && gcc -rdynamic app.c here.c -o app -ldl");
  const quadrille::testing::Running app({"sh", "-c", "cd '" + place_.string() + "' && exec ./app"});
  EXPECT_EQ(place_in(app), "plug_in.c:4 (step)");
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
  EXPECT_EQ(place_in(app), "flow.f90:5 (residual)");
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
  const quadrille::testing::Running plain({file("plain"), "1"});
  EXPECT_THAT(place_in(plain), MatchesRegex("flow::at_each\\+0x[0-9a-f]+ \\(plain\\)"));

  const quadrille::testing::Running app({file("app")});
  EXPECT_EQ(place_in(app), fmt::format("solver.cpp:{} (residual)", line_of("solver.cpp", "// EACH")));
}

TEST_F(PlacesTest, LinesOutliveTheProcessButNotTheFile) {
  write("here.c", waits_here);
  write("solver.c", caller);
  shell("gcc -g -O2 solver.c here.c -o app");
  quadrille::testing::Running app({file("app")});
  const std::uint64_t address = app.address();
  shell(fmt::format("cp /proc/{}/maps copy", app.process()));
  SourcePlaces known, copied, none;
  known.read(app.process());
  app.end();
  for (SourcePlaces* const each : {&known, &copied, &none}) each->read(app.process(), each == &copied ? file("copy") : "");
  EXPECT_THAT(known.of(address), MatchesRegex("solver.c:[0-9]+ \\(residual\\)"));
  EXPECT_THAT(copied.of(address), MatchesRegex("solver.c:[0-9]+ \\(residual\\)"));
  EXPECT_EQ(none.of(address), fmt::format("{:#x}", address));

  const quadrille::testing::Running other({file("app")});
  std::filesystem::remove(file("app"));
  EXPECT_THAT(place_in(other), MatchesRegex("app\\+0x[0-9a-f]+"));
}

TEST_F(PlacesTest, LibrariesThatAreLoadedLaterAreFound) {
  write("plug_in.c", "volatile int steps;\n\nvoid step(void) { ++steps; }\n");
  write("app.c",
        "#include <dlfcn.h>\n#include <signal.h>\n#include <stdio.h>\n#include <unistd.h>\nvoid nothing(int x) {}\n"
        "int main(void) {\n  signal(SIGUSR1, nothing);\n  puts(\"\");\n  fflush(stdout);\n  pause();\n"
        "  dlopen(\"./plug_in.so\", RTLD_NOW);\n  for (;;) pause();\n}\n");
  shell("gcc -g -shared -fPIC plug_in.c -o plug_in.so && gcc -g app.c -o app -ldl");
  const quadrille::testing::Running app({"sh", "-c", "cd '" + place_.string() + "' && exec ./app"});
  SourcePlaces places;
  const auto plug_in = [&] {
    places.read(app.process());
    for (const Module& module : places.modules())
      if (base_name(module.path) == "plug_in.so") return places.of(places.address_of("step", module) + 1);
    return std::string();
  };
  EXPECT_EQ(plug_in(), "");
  for (int i = 0; i < 2000 && plug_in().empty(); ++i) {
    ::kill(app.process(), SIGUSR1);  // again, because it may have come before the pause
    ::usleep(1000);
  }
  EXPECT_EQ(plug_in(), "plug_in.c:3 (step)");
}

TEST_F(PlacesTest, DebugFilesAreFoundByBuildId) {
  SourcePlaces places;
  places.read(::getpid());
  for (const Module& module : places.modules()) {
    if (!base_name(module.path).starts_with("libc.so")) continue;
    const std::uint64_t printf_address = places.address_of("printf", module);
    EXPECT_EQ(printf_address, reinterpret_cast<std::uintptr_t>(&::printf));
    EXPECT_EQ(places.address_of("no_such_function", module), 0u);
    EXPECT_THAT(places.of(printf_address + 8),
                ::testing::AnyOf(MatchesRegex("printf.c:[0-9]+ \\(.*printf\\)"), MatchesRegex(".*printf\\+0x7 \\(libc.so.6\\)")))
        << "the debug file may be missing";
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

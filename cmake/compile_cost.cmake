# Reduces compile times. Two things take most of the time: parsing the headers of the standard library, fmt and others again for
# each file, and optimising code that does not run for long.

# What was compiled before is taken from ccache, if that is installed. It must be told that precompiled headers are the same if their
# contents are.
find_program(QUADRILLE_CCACHE ccache)
if(QUADRILLE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  file(WRITE ${CMAKE_BINARY_DIR}/CMakeFiles/ccache.cpp "")
  execute_process(COMMAND ${QUADRILLE_CCACHE} ${CMAKE_CXX_COMPILER} -c ccache.cpp -o ccache.o WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/CMakeFiles
                  RESULT_VARIABLE ccache_failed OUTPUT_QUIET ERROR_QUIET)  # without a folder that it can write, for example
endif()
if(DEFINED ccache_failed AND NOT ccache_failed)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${QUADRILLE_CCACHE})
  target_compile_options(quadrille_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
endif()

# Precompiles these headers once for each target. A file still includes what it uses, and `./check --long` also builds without
# precompiled headers to check that.
function(quadrille_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN} <algorithm> <array> <functional> <map> <memory> <numeric> <optional> <span> <string>
                            <variant> <vector> <fmt/format.h> <fmt/ranges.h>)
endfunction()

# Sets a level of optimisation for a target in release builds. Levels belong to targets and not to sources: CMake leaves a source with
# options of its own out of what is compiled together.
function(quadrille_optimise target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
endfunction()

# Compiles the sources of a folder as one file, or as several of `most` sources if there are many, unless CMAKE_UNITY_BUILD is OFF.
# So the headers and the instantiations of templates that they share are compiled once, and a new source changes only what is
# compiled in its folder. Names in unnamed namespaces must be unique in a folder. BY_LAYER: a folder of src stands for all below it,
# except src/collectives, where an algorithm has the same names in the folders of several collectives.
function(quadrille_compile_by_folder target)
  cmake_parse_arguments(PARSE_ARGV 1 option BY_LAYER "" "")
  set(most 12)
  if(option_BY_LAYER)
    set(most 30)
  endif()
  if(DEFINED CMAKE_UNITY_BUILD AND NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  # A local name may be that of a constant in another file, and a class may have members of types that only its own file knows.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP UNITY_BUILD_CODE_BEFORE_INCLUDE
    "#pragma GCC diagnostic ignored \"-Wshadow\"\n#pragma GCC diagnostic ignored \"-Wsubobject-linkage\"")
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE absolute)
    cmake_path(GET absolute PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    if(option_BY_LAYER AND NOT folder MATCHES "^src/collectives")
      string(REGEX REPLACE "^([^/]+/[^/]+)/.*" "\\1" folder ${folder})
    endif()
    string(MAKE_C_IDENTIFIER "${folder}" group)
    if(NOT DEFINED count_${group})
      set(count_${group} 0)
    endif()
    math(EXPR part "${count_${group}} / ${most}")
    math(EXPR count_${group} "${count_${group}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${part})
  endforeach()
endfunction()

# One plug-in for each MPI found, linked with exactly that MPI: lib/quadrille/quadrille-<mpi>.so. No MPI is required: without one,
# ranks are threads or the processes of `quadrille run`. For each MPI of the table, src/execute/mpi/plug_in/<mpi>/plug_in.cmake sets
#   <mpi>_wrappers                     names of the compiler wrapper
#   <mpi>_question, <mpi>_answer       an option of the wrapper, and what its output matches if the wrapper is this MPI's
#   <mpi>_compile, <mpi>_link          the wrapper's options that print its flags
#   <mpi>_libraries                    names of its C library
#   <mpi>_definitions                  macros that leave MPI's old C++ functions out of <mpi.h>

# Sets QUADRILLE_WRAPPER_<mpi>, unless the user did, to the first wrapper with the right answer. The question is needed because plain
# mpicxx may belong to any MPI.
function(quadrille_mpi_wrapper mpi)
  if(QUADRILLE_WRAPPER_${mpi})
    return()
  endif()
  foreach(name ${${mpi}_wrappers})
    find_program(wrapper NAMES ${name} NO_CACHE)
    if(wrapper)
      execute_process(COMMAND ${wrapper} ${${mpi}_question} OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE failed)
      if(NOT failed AND said MATCHES "${${mpi}_answer}")
        set(QUADRILLE_WRAPPER_${mpi} ${wrapper} PARENT_SCOPE)
        return()
      endif()
    endif()
    unset(wrapper)
  endforeach()
endfunction()

function(quadrille_mpi_plug_in mpi)
  set(wrapper ${QUADRILLE_WRAPPER_${mpi}})
  if(NOT wrapper)
    message(STATUS "No ${mpi}: no plug-in for it")
    return()
  endif()
  execute_process(COMMAND ${wrapper} ${${mpi}_compile} OUTPUT_VARIABLE compile_flags COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${wrapper} ${${mpi}_link} OUTPUT_VARIABLE link_flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(compile_flags UNIX_COMMAND "${compile_flags}")
  separate_arguments(link_flags UNIX_COMMAND "${link_flags}")

  # Links only MPI's C library, by its full path: if two MPIs are installed, "-lmpi" may find either.
  set(includes ${compile_flags})
  list(FILTER includes INCLUDE REGEX "^-I")
  list(TRANSFORM includes REPLACE "^-I" "")
  set(directories ${link_flags})
  list(FILTER directories INCLUDE REGEX "^-L")
  list(TRANSFORM directories REPLACE "^-L" "")
  set(libraries ${link_flags})
  string(JOIN "|" names ${${mpi}_libraries})
  list(FILTER libraries INCLUDE REGEX "^-l(${names})$")
  list(TRANSFORM libraries REPLACE "^-l" "")
  find_library(library NAMES ${libraries} PATHS ${directories} NO_DEFAULT_PATH NO_CACHE)
  if(NOT library)
    find_library(library NAMES ${libraries} NO_CACHE)
  endif()
  if(NOT library)
    message(STATUS "${wrapper} names a library that is not installed: no plug-in for ${mpi}")
    return()
  endif()

  # The flags of a C++ program that calls this MPI.
  add_library(quadrille_uses_${mpi} INTERFACE)
  target_include_directories(quadrille_uses_${mpi} SYSTEM INTERFACE ${includes})
  target_compile_definitions(quadrille_uses_${mpi} INTERFACE ${quadrille_mpi_definitions})
  target_link_libraries(quadrille_uses_${mpi} INTERFACE ${library})
  set(QUADRILLE_LIBRARY_${mpi} ${library} PARENT_SCOPE)

  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/execute/mpi/plug_in/*.cpp
       ${PROJECT_SOURCE_DIR}/src/execute/mpi/plug_in/${mpi}/*.cpp)
  set(target quadrille_${mpi})
  add_library(${target} MODULE ${sources} ${quadrille_build_version})
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME quadrille-${mpi} DEFINE_SYMBOL ""  # as for the drop-in, whose headers are precompiled here
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/quadrille
                        BUILD_RPATH "$ORIGIN/.." INSTALL_RPATH "$ORIGIN/.." INSTALL_RPATH_USE_LINK_PATH ON)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${target} PRIVATE QUADRILLE_MPI_LIBRARY="${mpi}")
  target_link_libraries(${target} PRIVATE quadrille quadrille_settings fmt::fmt quadrille_uses_${mpi})
  quadrille_call_directly(${target})
  quadrille_precompile(${target} <mpi.h>)
  quadrille_optimise(${target} -O2)
  quadrille_compile_by_folder(${target} BY_LAYER)
  add_dependencies(quadrille_plug_ins ${target})
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/quadrille)
  message(STATUS "Plug-in for ${mpi}: ${library}")
endfunction()

set(quadrille_mpi_definitions)  # of all libraries: each <mpi.h> ignores those of the others
foreach(mpi ${quadrille_mpi_libraries})
  include(src/execute/mpi/plug_in/${mpi}/plug_in.cmake)
  list(APPEND quadrille_mpi_definitions ${${mpi}_definitions})
endforeach()
foreach(mpi ${quadrille_mpi_libraries})
  quadrille_mpi_wrapper(${mpi})
  quadrille_mpi_plug_in(${mpi})
endforeach()

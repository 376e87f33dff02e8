# One plug-in for each MPI found, linked with exactly that MPI: lib/quadrille/quadrille-<mpi>.so. No MPI is required: without one,
# ranks are threads or the processes of `quadrille run`.

# Sets QUADRILLE_WRAPPER_<mpi>, unless the user did, to the first of `wrappers` whose output for the option `question` matches
# `answer`. The question is needed because plain mpicxx may belong to either MPI.
function(quadrille_mpi_wrapper mpi question answer wrappers)
  if(QUADRILLE_WRAPPER_${mpi})
    return()
  endif()
  foreach(name ${wrappers})
    find_program(wrapper NAMES ${name} NO_CACHE)
    if(wrapper)
      execute_process(COMMAND ${wrapper} ${question} OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE failed)
      if(NOT failed AND said MATCHES "${answer}")
        set(QUADRILLE_WRAPPER_${mpi} ${wrapper} PARENT_SCOPE)
        return()
      endif()
    endif()
    unset(wrapper)
  endforeach()
endfunction()

# `compile` and `link` are the wrapper's options that print its flags.
function(quadrille_mpi_plug_in mpi compile link)
  set(wrapper ${QUADRILLE_WRAPPER_${mpi}})
  if(NOT wrapper)
    message(STATUS "No ${mpi}: no plug-in for it")
    return()
  endif()
  execute_process(COMMAND ${wrapper} ${compile} OUTPUT_VARIABLE compile_flags COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${wrapper} ${link} OUTPUT_VARIABLE link_flags COMMAND_ERROR_IS_FATAL ANY)
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
  list(FILTER libraries INCLUDE REGEX "^-l(mpi|mpich)$")
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
  target_compile_definitions(quadrille_uses_${mpi} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_libraries(quadrille_uses_${mpi} INTERFACE ${library})

  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/execute/mpi/plug_in/*.cpp)
  set(target quadrille_${mpi})
  add_library(${target} MODULE ${sources})
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME quadrille-${mpi}
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/quadrille
                        BUILD_RPATH "$ORIGIN/.." INSTALL_RPATH "$ORIGIN/.." INSTALL_RPATH_USE_LINK_PATH ON)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${target} PRIVATE QUADRILLE_MPI_LIBRARY="${mpi}" QUADRILLE_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${target} PRIVATE quadrille quadrille_settings fmt::fmt quadrille_uses_${mpi})
  quadrille_precompile(${target} <mpi.h>)
  add_dependencies(quadrille_plug_ins ${target})
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/quadrille)
  message(STATUS "Plug-in for ${mpi}: ${library}")
endfunction()

quadrille_mpi_wrapper(openmpi "--showme:version" "Open MPI" "mpicxx.openmpi;mpicxx")
quadrille_mpi_wrapper(mpich "-compile_info" "-I" "mpicxx.mpich;mpicxx")
quadrille_mpi_plug_in(openmpi --showme:compile --showme:link)
quadrille_mpi_plug_in(mpich -compile_info -link_info)

# The drop-in, for each MPI that has a plug-in: lib/libquadrille-<mpi>.so has the collectives with MPI's own arguments, and
# lib/quadrille/quadrille-preload-<mpi>.so defines MPI's symbols by them.

function(quadrille_mpi_face mpi)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/mpi_face/*.cpp)
  set(symbols ${sources})
  list(FILTER symbols INCLUDE REGEX "/((c|fortran)_symbols|seen)\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "/((c|fortran)_symbols|seen|record[a-z_]*|report[a-z_]*|rules)\\.cpp$")

  set(target quadrille_face_${mpi})
  add_library(${target} SHARED ${sources})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME quadrille-${mpi} VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} INSTALL_RPATH "$ORIGIN" INSTALL_RPATH_USE_LINK_PATH ON)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${target} PRIVATE QUADRILLE_MPI_LIBRARY="${mpi}" QUADRILLE_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${target} PUBLIC quadrille quadrille_uses_${mpi} PRIVATE quadrille_settings fmt::fmt)
  quadrille_precompile(${target} <mpi.h>)

  set(preload quadrille_preload_${mpi})
  add_library(${preload} MODULE ${symbols})
  set_target_properties(${preload} PROPERTIES PREFIX "" OUTPUT_NAME quadrille-preload-${mpi}
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/quadrille
                        BUILD_RPATH "$ORIGIN/.." INSTALL_RPATH "$ORIGIN/.." INSTALL_RPATH_USE_LINK_PATH ON)
  target_include_directories(${preload} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${preload} PRIVATE ${target} quadrille_settings)

  add_dependencies(quadrille_plug_ins ${target} ${preload})
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS ${preload} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/quadrille)
endfunction()

foreach(mpi openmpi mpich)
  if(TARGET quadrille_${mpi})
    quadrille_mpi_face(${mpi})
  endif()
endforeach()

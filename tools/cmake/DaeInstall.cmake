# What `cmake --install` lays down: headers, libraries, the command, a CMake
# package `dae`, pkg-config files, models, examples, the licence.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/dae)
set(doc_folder ${CMAKE_INSTALL_DATADIR}/doc/dae)

install(TARGETS dae_solver dae_lang dae_run EXPORT daeTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(NOT BUILD_SHARED_LIBS)
  install(CODE "
    set(DAE_NM \"${CMAKE_NM}\")
    set(DAE_OBJCOPY \"${CMAKE_OBJCOPY}\")
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
    set(DAE_ARCHIVES \"\${folder}/$<TARGET_FILE_NAME:dae_solver>\"
      \"\${folder}/$<TARGET_FILE_NAME:dae_lang>\"
      \"\${folder}/$<TARGET_FILE_NAME:dae_run>\")
    include(\"${PROJECT_SOURCE_DIR}/tools/cmake/DaeArchive.cmake\")")
endif()
if(TARGET dae)
  if(BUILD_SHARED_LIBS)
    set_target_properties(dae PROPERTIES
      INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  endif()
  install(TARGETS dae RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
foreach(folder solver lang)
  install(DIRECTORY ${folder}/include/dae
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
endforeach()

configure_package_config_file(tools/cmake/daeConfig.cmake.in
  ${PROJECT_BINARY_DIR}/daeConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/daeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(EXPORT daeTargets NAMESPACE dae:: DESTINATION ${package_folder})
install(FILES ${PROJECT_BINARY_DIR}/daeConfig.cmake
  ${PROJECT_BINARY_DIR}/daeConfigVersion.cmake
  tools/cmake/FindKLU.cmake
  DESTINATION ${package_folder})

# pkg-config: a static archive needs what it is linked with spelled out.
set(solver_private "-lklu -lbtf -lamd -lcolamd -lsuitesparseconfig")
foreach(name ${CMAKE_DL_LIBS} m)
  string(APPEND solver_private " -l${name}")
endforeach()
if(BUILD_SHARED_LIBS)
  set(pc_libs_private "")
  set(pc_cflags "-DDAE_SHARED")
else()
  set(pc_libs_private " ${solver_private}")
  set(pc_cflags "")
endif()
# The prefix is found from the file's own place, so an installation may be moved.
file(RELATIVE_PATH pc_up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_up "${pc_up}")
foreach(name dae dae-solver)
  configure_file(tools/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/dae/models)
install(DIRECTORY examples/ DESTINATION ${doc_folder}/examples
  FILES_MATCHING PATTERN "*.c" PATTERN "*.dae")
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${doc_folder})

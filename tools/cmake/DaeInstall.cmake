# What `cmake --install` lays down: headers, libraries, the command, a CMake
# package `dae`, pkg-config files, man pages, completions, models, examples, documents.
# The components are the Debian packages (DaePackage.cmake); `documents` is in none.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/dae)
set(doc_folder ${CMAKE_INSTALL_DATADIR}/doc/dae)

install(TARGETS dae_solver dae_lang dae_run EXPORT daeTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
    NAMELINK_COMPONENT development)
if(NOT BUILD_SHARED_LIBS)
  install(CODE "
    set(DAE_NM \"${CMAKE_NM}\")
    set(DAE_OBJCOPY \"${CMAKE_OBJCOPY}\")
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
    set(DAE_ARCHIVES \"\${folder}/$<TARGET_FILE_NAME:dae_solver>\"
      \"\${folder}/$<TARGET_FILE_NAME:dae_lang>\"
      \"\${folder}/$<TARGET_FILE_NAME:dae_run>\")
    include(\"${PROJECT_SOURCE_DIR}/tools/cmake/DaeArchive.cmake\")"
    COMPONENT development)
endif()
if(TARGET dae)
  if(BUILD_SHARED_LIBS)
    set_target_properties(dae PROPERTIES
      INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  endif()
  install(TARGETS dae RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
endif()
if(TARGET dae_documents)
  # where each shell looks for those of other programs; zsh of Debian elsewhere
  set(zsh_folder zsh/site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
    set(zsh_folder zsh/vendor-completions)
  endif()
  install(FILES ${installed_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
  install(FILES ${pages_folder}/dae.bash RENAME dae COMPONENT command
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${pages_folder}/_dae COMPONENT command
    DESTINATION ${CMAKE_INSTALL_DATADIR}/${zsh_folder})
  install(FILES ${pages_folder}/dae.fish COMPONENT command
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
foreach(folder solver lang)
  install(DIRECTORY ${folder}/include/dae
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
    FILES_MATCHING PATTERN "*.h")
endforeach()

configure_package_config_file(tools/cmake/daeConfig.cmake.in
  ${PROJECT_BINARY_DIR}/daeConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/daeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(EXPORT daeTargets NAMESPACE dae:: DESTINATION ${package_folder}
  COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/daeConfig.cmake
  ${PROJECT_BINARY_DIR}/daeConfigVersion.cmake
  tools/cmake/FindKLU.cmake
  DESTINATION ${package_folder} COMPONENT development)

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
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/dae/models
  COMPONENT command)
install(DIRECTORY examples/ DESTINATION ${doc_folder}/examples COMPONENT development
  FILES_MATCHING PATTERN "*.c" PATTERN "*.dae")
install(DIRECTORY docs DESTINATION ${doc_folder} COMPONENT command
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
install(FILES README.md DESTINATION ${doc_folder} COMPONENT command)
install(FILES LICENSE CHANGELOG.md DESTINATION ${doc_folder} COMPONENT documents)

# Takes away what the last `cmake --install` of this build laid down.
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND}
    -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
    -P ${PROJECT_SOURCE_DIR}/tools/cmake/uninstall.cmake VERBATIM)
  if(DAE_PACKAGE)
    include(DaePackage)
  endif()
endif()

# Finds KLU of SuiteSparse, which Debian ships without a CMake package, and
# defines KLU::KLU. With KLU_USE_STATIC_LIBS it is made of the archives, where
# there are some.
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
set(klu_libraries)
foreach(name klu btf amd colamd suitesparseconfig)
  find_library(KLU_${name}_LIBRARY ${name})
  find_library(KLU_${name}_ARCHIVE
    ${CMAKE_STATIC_LIBRARY_PREFIX}${name}${CMAKE_STATIC_LIBRARY_SUFFIX})
  mark_as_advanced(KLU_${name}_LIBRARY KLU_${name}_ARCHIVE)
  set(klu_${name} "${KLU_${name}_LIBRARY}")
  if(KLU_USE_STATIC_LIBS AND KLU_${name}_ARCHIVE)
    set(klu_${name} "${KLU_${name}_ARCHIVE}")
  endif()
  list(APPEND klu_libraries KLU_${name}_LIBRARY)
endforeach()
mark_as_advanced(KLU_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU
  REQUIRED_VARS KLU_klu_LIBRARY KLU_INCLUDE_DIR ${klu_libraries}
  REASON_FAILURE_MESSAGE "On Debian: apt-get install libsuitesparse-dev")

if(KLU_FOUND AND NOT TARGET KLU::KLU)
  add_library(KLU::KLU UNKNOWN IMPORTED)
  set_target_properties(KLU::KLU PROPERTIES
    IMPORTED_LOCATION "${klu_klu}"
    INTERFACE_INCLUDE_DIRECTORIES "${KLU_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES
      "${klu_btf};${klu_amd};${klu_colamd};${klu_suitesparseconfig}")
  # One set of memory hooks in a process: libraries that are loaded later find
  # those of the program.
  if(klu_suitesparseconfig MATCHES "${CMAKE_STATIC_LIBRARY_SUFFIX}$"
      AND CMAKE_EXECUTABLE_FORMAT STREQUAL ELF)
    set_target_properties(KLU::KLU PROPERTIES INTERFACE_LINK_OPTIONS
      LINKER:--export-dynamic-symbol=SuiteSparse_config)
  endif()
endif()

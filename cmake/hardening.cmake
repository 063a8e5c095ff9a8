# What makes a fault harder to exploit, as far as compiler and linker have it: in all builds that
# are optimised, since _FORTIFY_SOURCE does nothing in others. Sanitizers have checks of their own.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)
include(CheckPIESupported)

option(NBSCOREP_HARDENING "Compile and link optimised builds with hardening flags" ON)
set(hardened "$<CONFIG:Release,RelWithDebInfo,MinSizeRel>")

function(harden_compiler)
  foreach(flag ${ARGN})
    string(MAKE_C_IDENTIFIER "HAS${flag}" has)
    check_c_compiler_flag(${flag} ${has})
    if(${has})
      target_compile_options(nbscorep_flags INTERFACE $<${hardened}:${flag}>)
    endif()
  endforeach()
endfunction()

function(harden_linker)
  foreach(flag ${ARGN})
    string(MAKE_C_IDENTIFIER "HAS${flag}" has)
    check_linker_flag(C ${flag} ${has})
    if(${has})
      target_link_options(nbscorep_flags INTERFACE $<${hardened}:${flag}>)
    endif()
  endforeach()
endfunction()

# Level 3 wants glibc 2.34 and a compiler that tells the sizes of objects when the program runs.
function(harden_library)
  set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
  check_c_source_compiles("
    #include <stdio.h>
    #if __USE_FORTIFY_LEVEL < 3
    #error no level 3
    #endif
    int main(void) { return 0; }" HAS_FORTIFY_SOURCE_3)
  set(level 2)
  if(HAS_FORTIFY_SOURCE_3)
    set(level 3)
  endif()
  target_compile_options(nbscorep_flags INTERFACE
    $<${hardened}:-U_FORTIFY_SOURCE> $<${hardened}:-D_FORTIFY_SOURCE=${level}>)
endfunction()

if(NBSCOREP_HARDENING AND NOT NBSCOREP_SANITIZE AND NOT NBSCOREP_COVERAGE)
  set(NBSCOREP_HARDENED ON)
  check_pie_supported(LANGUAGES C)
  if(CMAKE_C_LINK_PIE_SUPPORTED)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
    # The static library is for programs, whose symbols nobody replaces: this comes behind -fPIC.
    target_compile_options(nbscorep_flags INTERFACE ${CMAKE_C_COMPILE_OPTIONS_PIE})
  endif()
  harden_library()
  harden_compiler(-fstack-protector-strong -fstack-clash-protection -fcf-protection)
  harden_linker(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()

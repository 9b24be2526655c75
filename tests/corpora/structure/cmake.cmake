# The scale that hangs under every hive.
cmake_minimum_required(VERSION 3.24)
project(hivescale VERSION 1.2 LANGUAGES C CXX)

find_package(Threads REQUIRED)

# Adds a test that runs on the machine that builds.
function(add_host_test name)
  add_executable(${name} tests/${name}.cpp)
  target_link_libraries(${name} PRIVATE scale Catch2::Catch2WithMain)
  add_test(NAME ${name} COMMAND ${name} --reporter compact --order rand)
endfunction()

add_library(scale STATIC
  src/load_cell.c   # reads the weight
  src/filter.c      # leaves out the wind
  src/calibrate.c
)
target_include_directories(scale PUBLIC include PRIVATE src ${CMAKE_BINARY_DIR}/generated)

if(HIVE_RADIO)
  # Sends a reading every ten minutes.
  add_library(radio STATIC src/lora.c src/airtime.c src/retry.c)
  target_compile_definitions(radio PRIVATE RADIO_BAND=868 RADIO_POWER_DBM=14 RADIO_KEEPALIVE_S=600)
  target_link_libraries(scale PUBLIC radio Threads::Threads ${RADIO_EXTRA_LIBRARIES})
endif()

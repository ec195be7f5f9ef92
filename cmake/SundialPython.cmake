# The interpreter itself for every test that is a Python script. The first one in PATH may be a shim of pyenv: a shell
# script that looks for the interpreter at each start, which takes five times the CPU of starting Python (0.6 s and 0.1 s).
find_package(Python3 REQUIRED COMPONENTS Interpreter)
execute_process(
    COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)"
    OUTPUT_VARIABLE Python3_EXECUTABLE OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set_target_properties(Python3::Interpreter PROPERTIES IMPORTED_LOCATION ${Python3_EXECUTABLE})

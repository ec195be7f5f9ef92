// A shared library that contains the engine. It needs position-independent code and must not be
// linked as a program.
#include <sundial/engine.hpp>

#if __has_include("base/result.hpp")
#error "Sundial::engine adds the folder src/ to the include path"
#endif

bool opens_in_memory();
bool opens_in_memory() { return static_cast<bool>(sundial::Engine::open({.storage = "memory:"})); }

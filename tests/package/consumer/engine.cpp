#include <cstdio>
#include <sundial/engine.hpp>

/// Without a storage of its own it has memory, and says how to get the others.
int main() {
    if (!sundial::Engine::open({.storage = "memory:"})) return 1;
    const auto none = sundial::Engine::open({.storage = "sqlite:never.db"});
    if (none) return 1;
    std::puts(none.error().detail.c_str());
    return none.error().code == "CANNOT_START" &&
                   none.error().detail.find("Sundial::sqlite") != std::string::npos
               ? 0
               : 1;
}

#include <sundial/retry.hpp>

int main() {
    unsigned calls = 0;
    const auto done =
        sundial::retry({.max_attempts = 2, .base = {}},
                       [&]() -> sundial::embedding::Result<sundial::embedding::Done> {
                           if (++calls == 1)
                               return sundial::embedding::Error{"STORAGE_UNAVAILABLE", "busy", {}};
                           return sundial::embedding::Done{};
                       });
    return done && calls == 2 ? 0 : 1;
}

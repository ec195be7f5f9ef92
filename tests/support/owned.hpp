#pragma once

#include <memory>

namespace sundial {

template <auto free>
struct FreedBy {
    template <class T>
    void operator()(T* object) const {
        free(object);
    }
};

/// An object of a C library, which `free` releases.
template <class T, auto free>
using Owned = std::unique_ptr<T, FreedBy<free>>;

}  // namespace sundial

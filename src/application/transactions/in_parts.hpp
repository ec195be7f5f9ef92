#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "application/ports/failures.hpp"
#include "application/ports/store.hpp"

namespace sundial {

/// The indices of the items of each part of the storage (Store::parts), in their order. Inside a
/// transaction all items are together, since they commit together.
template <class Item, class IdOf>
[[nodiscard]] std::vector<std::vector<std::size_t>> indices_by_part(Store& store,
                                                                    std::span<const Item> items,
                                                                    IdOf id_of) {
    const bool apart = store.parts() > 1 && !store.open_here();
    std::map<std::uint32_t, std::vector<std::size_t>> parts;
    for (std::size_t i = 0; i < items.size(); ++i) {
        parts[apart ? store.part_of(std::invoke(id_of, items[i])) : 0].push_back(i);
    }
    std::vector<std::vector<std::size_t>> all;
    all.reserve(parts.size());
    for (auto& [part, indices] : parts) all.push_back(std::move(indices));
    return all;
}

/// Calls `work` with the items of each part of the storage: a transaction of each part commits in
/// one phase. If parts fail, the others are done nevertheless; then this throws the first failure.
template <class Item, class IdOf, class Work>
void for_each_part(Store& store, std::span<const Item> items, IdOf id_of, Work work) {
    std::exception_ptr failure;
    for (const auto& indices : indices_by_part(store, items, id_of)) {
        std::vector<Item> part;
        part.reserve(indices.size());
        for (const std::size_t i : indices) part.push_back(items[i]);
        try {
            work(std::span<const Item>{part});
        } catch (const Unavailable&) {
            if (!failure) failure = std::current_exception();
        }
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace sundial

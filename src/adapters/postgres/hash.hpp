#pragma once

#include <cstdint>
#include <string_view>

namespace sundial::postgres {

/// The number from which a key's shard is taken. sundial.shard_of_key computes the same in SQL, and
/// Ids::event_id puts it into the id of the key's first event.
[[nodiscard]] std::uint8_t last_byte_of_sha256(std::string_view bytes);

}  // namespace sundial::postgres

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>

namespace sundial::cli {

/// The bytes of a stream, counted and hashed as they are read.
class InputBytes {
public:
    explicit InputBytes(std::istream& in) : in_(in) {}

    static constexpr int end = -1;
    /// The next byte, or `end`.
    int take() {
        if (next_ == filled_ && !fill()) return end;
        const auto byte = static_cast<unsigned char>(buffer_[next_++]);
        hash_ = (hash_ ^ byte) * 1099511628211U;
        ++bytes_;
        return byte;
    }
    /// The byte that `take` returns next, or `end`.
    int peek() {
        if (next_ == filled_ && !fill()) return end;
        return static_cast<unsigned char>(buffer_[next_]);
    }
    /// Of the bytes taken so far. The hash is FNV-1a.
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    [[nodiscard]] std::uint64_t hash() const { return hash_; }
    /// Whether the stream ended because it could not be read.
    [[nodiscard]] bool failed() const { return in_.bad(); }

private:
    bool fill();

    std::istream& in_;
    std::array<char, 65536> buffer_{};
    std::size_t next_ = 0, filled_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t hash_ = 14695981039346656037U;
};

}  // namespace sundial::cli

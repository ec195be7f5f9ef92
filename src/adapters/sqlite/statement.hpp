#pragma once

namespace sundial::sqlite {

/// One complete SQL statement. Each connection prepares it once and finds it by its address.
struct Statement {
    const char* sql;
};

}  // namespace sundial::sqlite

#include "server/end_at_once.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace sundial::server {

OnFatal end_at_once(system::JsonLog& log) {
    return [&log](const std::string& why) {
        log.flush();
        std::fprintf(stderr, "sundial: %s\n", why.c_str());
        ::_exit(1);
    };
}

}  // namespace sundial::server

#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <iostream>

#include "adapters/system/process.hpp"
#include "application/ports/failures.hpp"
#include "base/log.hpp"
#include "cli/http_client.hpp"
#include "cli/output.hpp"
#include "server/command_line/command_tree.hpp"

namespace {

using namespace sundial;

int report_failure(int exit_code, const char* what, const std::exception& error) {
    std::fprintf(stderr, "sundial: %s%s\n", what, base::redacted(error.what()).c_str());
    return exit_code;
}

/// Disables core dumps, which would contain keys, secrets and people's names.
void leave_no_core_dump() {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// Lets the C library keep freed memory for the next batch of events. Memory that is returned to
/// the kernel comes back page by page, which takes a fifth of the process's time in a drain
/// (docs/benchmarks.md). Each heap of the C library keeps at most 16 MB this way.
void keep_freed_memory() {
    ::mallopt(M_TRIM_THRESHOLD, 16 << 20);
    ::mallopt(M_MMAP_THRESHOLD, 4 << 20);
}

/// The exit code of a command whose results may not have arrived: a full disk is
/// noticed when buffered output is written, on a network file system only when it is closed.
int once_written(int exit_code) {
    std::cout.flush();
    const bool written = !std::cout.fail() && std::ferror(stdout) == 0;
    // A command that prints nothing may have been started without standard output.
    const bool kept = ::close(STDOUT_FILENO) == 0 || errno == EBADF;
    if (written && kept) return exit_code;
    std::fputs(
        "sundial: the output could not be written: standard output is closed, or its disk full\n",
        stderr);
    return exit_code == server::ok ? static_cast<int>(server::failure) : exit_code;
}

}  // namespace

int main(int argc, char** argv) {
    leave_no_core_dump();
    keep_freed_memory();
    system::arm_crash_points();
    try {
        return once_written(server::run_command_line(argc, argv));
    } catch (const cli::Unreachable& error) {
        return report_failure(server::unreachable, "", error);
    } catch (const cli::BadArgument& error) {
        return report_failure(server::usage, "", error);
    } catch (const Unavailable& error) {
        return report_failure(server::unreachable, "the database does not answer: ", error);
    } catch (const std::exception& error) {
        return report_failure(server::failure, "", error);
    }
}

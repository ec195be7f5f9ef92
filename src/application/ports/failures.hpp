#pragma once

#include <stdexcept>

/// What is nobody's input and nobody's rule: only the machine is to blame. Adapters throw these;
/// use cases have no `try`; the request handler, one turn of the worker loop and `main` catch.
namespace sundial {

/// The other side did not answer, or not surely: database gone, disk full, time-out. The effect of
/// the call is unknown unless the port says otherwise.
class Unavailable : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    ~Unavailable() override;
};

/// No answer came to a COMMIT, and nobody could find out in time what became of it: all of it has
/// happened or nothing.
class OutcomeUnknown : public Unavailable {
public:
    using Unavailable::Unavailable;
    ~OutcomeUnknown() override;
};

/// What was read cannot be what we wrote.
class Corrupt : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    ~Corrupt() override;
};

/// The process must not start like this: a file held by another process, a database newer than this
/// binary, a missing key. The text says what, where and the remedy.
class CannotStart : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    ~CannotStart() override;
};

}  // namespace sundial

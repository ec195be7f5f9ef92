#pragma once

#include <stdexcept>

/// Failures of the machine, which neither input nor rules cause. Adapters throw these. Use cases
/// have no `try`; the request handler, one turn of the worker loop and `main` catch.
namespace sundial {

/// The other side gave no clear answer: database gone, disk full, time-out. The effect of the call
/// is unknown unless the port says otherwise.
class Unavailable : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// No answer came to a COMMIT, and its result could not be found out in time. Either all of the
/// transaction took effect or nothing.
class OutcomeUnknown : public Unavailable {
public:
    using Unavailable::Unavailable;
};

/// The data cannot be data that we wrote.
class Corrupt : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The process must not start in this state: a file held by another process, a database newer than
/// this binary, a missing key. The text names the problem, the place and the remedy.
class CannotStart : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace sundial

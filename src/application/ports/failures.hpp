#pragma once

#include <stdexcept>
#include <string>
#include <utility>

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

/// The stored data is not data that Sundial wrote.
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

/// The database refused a statement of the program that embeds the engine, or the transaction that
/// the program passed on. The text is the database's, or says what to change.
class StatementRefused : public std::runtime_error {
public:
    struct Codes {
        std::string sqlstate{};    // PostgreSQL's; empty otherwise
        int sqlite = 0;            // SQLite's extended result code; 0 otherwise
        std::string constraint{};  // the violated one, if its name is known
    };
    StatementRefused(Codes its_codes, const std::string& why)
        : std::runtime_error(why), codes(std::move(its_codes)) {}

    Codes codes;
};

}  // namespace sundial

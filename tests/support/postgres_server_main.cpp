// Starts a private PostgreSQL server, prints its URL on one line, and stops it at the end of
// standard input. For tests that are not written in C++.
//
// usage: temporary_postgres [PROGRAM]    the database has the schema of PROGRAM, a sundial
#include <exception>
#include <iostream>
#include <string>

#include "support/postgres_cluster.hpp"

int main(int count, char** arguments) {
    try {
        sundial::PostgresCluster cluster{count > 1 ? arguments[1] : ""};
        std::cout << cluster.create_database() << std::endl;
        for (std::string line; std::getline(std::cin, line);) {
        }
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}

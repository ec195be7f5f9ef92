// Starts a private PostgreSQL server, prints its URL on one line, and stops it at the end of
// standard input. For tests that are not written in C++.
#include <exception>
#include <iostream>
#include <string>

#include "support/postgres_cluster.hpp"

int main() {
    try {
        sundial::PostgresCluster cluster;
        std::cout << cluster.create_database() << std::endl;
        for (std::string line; std::getline(std::cin, line);) {
        }
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}

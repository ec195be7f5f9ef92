// Starts a PostgreSQL of its own, says where (one URL, one line), and keeps it until standard input
// ends: for tests that are not C++.
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

#include "server/command_line/input_files.hpp"

#include <iostream>
#include <sstream>

namespace sundial::server {

std::istream* open_input(const std::string& name, std::ifstream& file) {
    std::istream& in = name == "-" ? std::cin : file;
    if (name != "-") file.open(name, std::ios::binary);
    // A directory can be opened, but not read. The stream keeps that as its state.
    if (in) (void)in.peek();
    if (!in.bad() && (name == "-" || file.is_open())) return &in;
    std::cerr << "sundial: cannot read " << name << '\n';
    return nullptr;
}

std::optional<std::string> read_whole_file(const std::string& name) {
    std::ifstream file;
    std::istream* in = open_input(name, file);
    if (in == nullptr) return std::nullopt;
    std::ostringstream text;
    if (!in->eof()) text << in->rdbuf();
    if (!in->bad()) return text.str();
    std::cerr << "sundial: cannot read all of " << name << '\n';
    return std::nullopt;
}

}  // namespace sundial::server

#pragma once

/// Registration functions of the command line, one file per group of nouns.
namespace sundial::server {

class CommandTree;

void add_serving_commands(CommandTree& tree);    // serve, dev, tick
void add_database_commands(CommandTree& tree);   // db, config
void add_key_commands(CommandTree& tree);        // key
void add_clock_commands(CommandTree& tree);      // clock
void add_endpoint_commands(CommandTree& tree);   // endpoint
void add_event_commands(CommandTree& tree);      // event, dlq
void add_operation_commands(CommandTree& tree);  // op
void add_lock_commands(CommandTree& tree);       // lock
void add_stream_commands(CommandTree& tree);     // stream
void add_info_commands(CommandTree& tree);       // info, version
void add_rule_commands(CommandTree& tree);       // next, schedule explain
void add_zone_commands(CommandTree& tree);       // zone
void add_bench_commands(CommandTree& tree);      // bench

}  // namespace sundial::server

#pragma once

#include "application/ports/module_ports.hpp"
#include "application/users/create_user.hpp"
#include "application/users/create_users.hpp"
#include "application/users/delete_user.hpp"
#include "application/users/edit_user.hpp"

namespace sundial {

/// Users and their dates. Changing one moves the events planned for it.
struct UsersModule {
    explicit UsersModule(const ModulePorts& p)
        : create(p.store, p.zones, p.ids, p.wakeups),
          edit(p.store, p.zones, p.ids, p.wakeups),
          put(create, edit),
          create_many(p.store, create, put),
          remove(p.store, p.ids) {}
    UsersModule(const UsersModule&) = delete;
    UsersModule& operator=(const UsersModule&) = delete;

    CreateUser create;
    EditUser edit;
    PutUser put;
    CreateUsers create_many;
    DeleteUser remove;
};

}  // namespace sundial

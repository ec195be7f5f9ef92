// A hundred buyers want the last item in stock. Check and take it in one statement, whose row count
// says whether it was there. Reading first and writing later would sell it many times.
#include <atomic>

#include "support.hpp"

int main() {
    const TemporaryFolder folder;
    Sqlite shop{folder.file("shop.db")};
    shop.run("CREATE TABLE stock (item TEXT PRIMARY KEY, n INTEGER NOT NULL)");
    shop.run("INSERT INTO stock VALUES ('sundial', 1)");

    std::atomic<int> sold = 0;
    in_parallel(100, [&](int) {
        Sqlite own{folder.file("shop.db")};
        sold +=
            own.run("UPDATE stock SET n = n - 1 WHERE item = ? AND n >= 1", {"sundial"}).changed;
    });

    std::cout << sold << " of 100 buyers got it\n";
    require(sold == 1, "the only item was sold once");
    require(shop.run("SELECT n FROM stock").row[0] == 0,
            "none is left, and the stock is not negative");
}

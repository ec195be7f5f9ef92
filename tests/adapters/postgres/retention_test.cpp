#include "contract/retention_contract.hpp"
#include "postgres_storage.hpp"

namespace sundial {
namespace {

template <std::uint32_t shards>
class With {
public:
    Store& store() { return storage_.store(); }
    EventQueue& queue() { return storage_.queue(); }
    Clock& clock() { return storage_.clock(); }
    Retention& retention() { return storage_.retention(); }

private:
    postgres::PostgresStorage storage_{shards};
};

}  // namespace

using Kinds = testing::Types<With<1>, With<16>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, RetentionContract, Kinds);

}  // namespace sundial

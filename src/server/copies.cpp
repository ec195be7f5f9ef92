#include "server/copies.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "adapters/postgres/copy.hpp"
#include "adapters/sqlite/copy.hpp"
#include "adapters/system/clocks.hpp"
#include "adapters/system/running_digest.hpp"
#include "application/ports/failures.hpp"
#include "base/json.hpp"
#include "server/database.hpp"

namespace sundial::server {
namespace {

using CopyTime = std::chrono::steady_clock;

/// Large enough that commits cost little, small enough that a killed copy repeats a second's work.
constexpr std::size_t rows_of_a_batch = 5'000;
constexpr std::size_t bytes_of_a_batch = 8'000'000;

/// The sum of the SHA-256 of all rows, modulo 2^256: the two databases have them in another order.
class RowsDigest {
public:
    void add(const CopyRow& row) {
        text_.clear();
        for (const auto& value : row) {
            text_ += value ? std::to_string(value->size()) + ':' : "-:";
            if (value) text_ += *value;
        }
        const auto digest = system::new_sha256();
        digest->add(text_);
        const std::string hex = digest->finish();
        std::uint64_t carry = 0;
        for (std::size_t word = words_.size(); word-- > 0;) {
            std::uint64_t number = 0;
            const char* const at = hex.data() + word * 8;
            std::from_chars(at, at + 8, number, 16);
            carry += number + words_[word];
            words_[word] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        ++rows_;
    }
    [[nodiscard]] std::int64_t rows() const { return rows_; }
    [[nodiscard]] std::string hex() const {
        constexpr std::string_view digits = "0123456789abcdef";
        std::string text;
        for (const std::uint32_t word : words_) {
            for (int shift = 28; shift >= 0; shift -= 4) text += digits[(word >> shift) & 15U];
        }
        return text;
    }

private:
    std::array<std::uint32_t, 8> words_{};
    std::int64_t rows_ = 0;
    std::string text_;
};

/// Both databases write JSON in their own way.
void make_json_canonical(const CopyTable& table, CopyRow& row) {
    for (std::size_t at = 0; at < row.size(); ++at) {
        if (table.columns[at].kind != CopyColumn::Kind::json || !row[at]) continue;
        if (auto json = base::canonical_json(*row[at])) row[at] = *std::move(json);
    }
}

/// "users: 12000 of 50000 rows, 8000 rows/s, 5 s left"
class CopyProgress {
public:
    CopyProgress(const ShowProgress& show, std::int64_t all, std::int64_t before)
        : show_{show}, all_{all}, done_{before}, before_{before} {}
    void row(const std::string& what) {
        ++done_;
        if (!show_ || (done_ & 255) != 0 || CopyTime::now() < next_) return;
        next_ = CopyTime::now() + std::chrono::milliseconds{200};
        const std::int64_t took = std::max<std::int64_t>(
            1, std::chrono::duration_cast<std::chrono::milliseconds>(CopyTime::now() - start_)
                   .count());
        const std::int64_t rate = std::max<std::int64_t>(1, (done_ - before_) * 1000 / took);
        show_(what + ": " + std::to_string(done_) + " of " + std::to_string(all_) + " rows, " +
              std::to_string(rate) + " rows/s, " +
              std::to_string(std::max<std::int64_t>(0, all_ - done_) / rate) + " s left");
    }

private:
    const ShowProgress& show_;
    const CopyTime::time_point start_ = CopyTime::now();
    CopyTime::time_point next_ = start_;
    std::int64_t all_, done_, before_;
};

struct CopyEnds {
    std::unique_ptr<CopySource> source;
    std::unique_ptr<CopyTarget> target;
    std::vector<CopyTable> tables;
};

/// Opens the source first: it is refused before anything is made in the target.
CopyEnds open_ends(const Settings& source, const Settings& target, const CopyTerms& terms,
                   base::Log& log) {
    const auto from = sqlite_file(source.storage.url), to = sqlite_file(target.storage.url);
    if (from.has_value() == to.has_value()) {
        throw CannotStart{
            "a copy goes from SQLite to PostgreSQL or back. Between two databases of one kind use "
            "'sundial db backup' and 'sundial db restore'"};
    }
    const Instant now = system::real_time();
    CopyEnds ends;
    if (to) {
        if (!database_status(source, log).up_to_date) {
            throw CannotStart{
                "the source has pending migrations. Run 'sundial db migrate' on it first. Nothing "
                "has changed"};
        }
        auto opened = postgres::PostgresCopySource::open(source.storage.url);
        ends.tables = opened->tables();
        ends.source = std::move(opened);
        Settings partial = target;
        partial.storage.url = "sqlite:" + sqlite::partial_copy_of(*to).string();
        ends.target = sqlite::open_copy_target(
            *to, [partial, &log] { (void)migrate_database(partial, log); }, now);
        return ends;
    }
    // The tables are known once the target has its schema.
    if (!std::filesystem::exists(*from)) throw CannotStart{"there is no database " + *from};
    if (!terms.dry_run) {
        (void)migrate_database(target, log);
    } else if (!database_status(target, log).up_to_date) {
        throw CannotStart{
            "a dry run needs a target with a schema. Run 'sundial db migrate' on it first, or copy "
            "without --dry-run, which does that too. Nothing has changed"};
    }
    auto opened = postgres::PostgresCopyTarget::open(target.storage.url);
    ends.tables = opened->tables();
    ends.target = std::move(opened);
    ends.source = sqlite::open_copy_source(*from, ends.tables, now);
    return ends;
}

[[noreturn]] void refuse_changed(const std::string& table) {
    throw CannotStart{
        "the source has changed since the copy began (table " + table +
        "). Give --restart, which copies everything again. The target is still empty"};
}

/// Goes on with a partial copy of this source, or starts one.
std::map<std::string, CopyTarget::Progress> begin_copy(CopyEnds& ends, bool restart) {
    const std::string source = ends.source->identity();
    // A damaged partial copy cannot be read, only discarded.
    const auto started = restart ? std::nullopt : ends.target->started();
    if (!started) {
        ends.target->start(source, ends.tables);
    } else if (*started != source) {
        throw CannotStart{
            "the target has a partial copy of another database. Give --restart to throw it away"};
    }
    return ends.target->progress();
}

/// Copies the rest of a table.
void copy_table(CopyEnds& ends, const CopyTable& table, CopyTarget::Progress progress,
                CopyProgress& shown) {
    std::vector<CopyRow> batch;
    std::size_t bytes = 0;
    const auto store = [&] {
        ends.target->append(table, batch, progress);
        batch.clear();
        bytes = 0;
    };
    ends.source->read(table, progress.place, [&](CopyRow&& row, const std::string& place) {
        make_json_canonical(table, row);
        for (const auto& value : row) bytes += value ? value->size() : 0;
        batch.push_back(std::move(row));
        progress.place = place;
        ++progress.rows;
        shown.row(table.name);
        if (batch.size() >= rows_of_a_batch || bytes >= bytes_of_a_batch) store();
    });
    progress.complete = true;
    store();
}

template <class Read>
RowsDigest digest_of(const CopyTable& table, CopyProgress& shown, Read read) {
    RowsDigest digest;
    read([&](CopyRow&& row, const std::string& /*place*/) {
        make_json_canonical(table, row);
        digest.add(row);
        shown.row("verifying " + table.name);
    });
    return digest;
}

}  // namespace

CopyDone copy_database(const Settings& source, const Settings& target, const CopyTerms& terms,
                       const ShowProgress& show, base::Log& log) {
    const auto start = CopyTime::now();
    CopyEnds ends = open_ends(source, target, terms, log);
    CopyDone done;
    done.losses = ends.source->losses();
    for (const CopyTable& table : ends.tables) {
        done.tables.push_back({table.name, ends.source->count(table)});
        done.rows += done.tables.back().rows;
    }
    if (terms.dry_run) {
        done.work = ends.source->work();
        return done;
    }
    for (const CopyLoss& loss : done.losses) {
        if (!loss.refused) continue;
        throw CannotStart{std::to_string(loss.rows) + ' ' + loss.what +
                          " cannot be copied. Start a server on the source until it has done "
                          "them. Nothing has changed"};
    }
    auto progress = begin_copy(ends, terms.restart);
    for (const CopyDone::Table& table : done.tables) {
        const auto& before = progress[table.name];
        done.rows_before += before.rows;
        if (before.complete ? before.rows != table.rows : before.rows > table.rows) {
            refuse_changed(table.name);
        }
    }
    CopyProgress copying{show, done.rows, done.rows_before};
    for (const CopyTable& table : ends.tables) {
        if (!progress[table.name].complete) {
            copy_table(ends, table, progress[table.name], copying);
        }
    }
    ends.target->assemble(ends.tables, ends.source->last_numbers(), [&](const std::string& table) {
        if (show) show("putting rows into table " + table);
    });
    // Of both, because the source may have changed while an interrupted copy waited.
    CopyProgress verifying{show, done.rows * 2, 0};
    for (std::size_t at = 0; at < ends.tables.size(); ++at) {
        const CopyTable& table = ends.tables[at];
        const RowsDigest there = digest_of(
            table, verifying, [&](const TakeCopyRow& take) { ends.source->read(table, {}, take); });
        const RowsDigest here = digest_of(
            table, verifying, [&](const TakeCopyRow& take) { ends.target->read(table, take); });
        if (there.rows() != here.rows() || there.hex() != here.hex()) {
            if (done.rows_before > 0) refuse_changed(table.name);
            throw Corrupt{"the copy was not kept: table " + table.name + " has " +
                          std::to_string(here.rows()) + " rows with digest " + here.hex() +
                          ", the source " + std::to_string(there.rows()) + " with " + there.hex()};
        }
        done.tables[at].sha256 = here.hex();
    }
    done.work = ends.target->finish();
    ends.target->publish();
    done.took = std::chrono::duration_cast<std::chrono::milliseconds>(CopyTime::now() - start);
    return done;
}

}  // namespace sundial::server

#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "application/endpoints/create_endpoint.hpp"
#include "application/endpoints/test_endpoint.hpp"
#include "application/events/schedule_event.hpp"
#include "application/ports/failures.hpp"
#include "application/requests/queries.hpp"
#include "application/schedules/preview_schedule.hpp"
#include "application/users/edit_user.hpp"
#include "base/log.hpp"
#include "domain/error.hpp"
#include "domain/event.hpp"
#include "domain/user.hpp"
#include "embedded/call_checks.hpp"
#include "sundial/embedding.hpp"
#include "sundial/endpoints.hpp"
#include "sundial/scheduling.hpp"

/// Converts internal types to those of the public headers.
namespace sundial::embedding {

inline constexpr const char* correlation_id = "";  // there is no HTTP request

[[nodiscard]] Error error_of(const sundial::Error& error);
[[nodiscard]] Error error_of(const StatementRefused& refused);
[[nodiscard]] std::optional<std::string> unless_empty(const std::string& text);
/// Errors: ValidationFailed.
[[nodiscard]] sundial::Result<sundial::NewEvent, ValidationFailed> requested_event(
    const NewEvent& requested);
[[nodiscard]] UserFields requested_user(const NewUser& requested);
[[nodiscard]] Event shown(const sundial::Event& event);
[[nodiscard]] std::vector<Event> shown(const std::vector<sundial::Event>& events);
[[nodiscard]] User shown(const sundial::User& user);
[[nodiscard]] Schedule shown(const ScheduleView& view);
[[nodiscard]] Preview shown(const sundial::Preview& preview);
[[nodiscard]] Endpoint shown(const sundial::Endpoint& endpoint);
[[nodiscard]] StoredEndpoint shown(const PutEndpointResult& stored);
[[nodiscard]] StoredEndpoint shown(const CreatedEndpoint& rotated);
[[nodiscard]] EndpointTest shown(const TestDelivery& sent);
[[nodiscard]] std::vector<ReceivedRequest> shown(const Page<CheckedRequest>& page);

namespace detail {

template <class T>
struct IsResult : std::false_type {};
template <class T, std::convertible_to<sundial::Error> Reasons>
struct IsResult<base::Result<T, Reasons>> : std::true_type {};

template <class Public, class Value>
Public public_value(Value&& value) {
    if constexpr (std::is_same_v<Public, std::remove_cvref_t<Value>>) {
        return std::forward<Value>(value);
    } else {
        return shown(value);
    }
}

}  // namespace detail

/// The result of `work` in public types; an exception becomes an Error.
template <class Public, class Work>
Result<Public> answered(Work work) {
    try {
        auto answer = work();
        if constexpr (!detail::IsResult<decltype(answer)>::value) {
            return detail::public_value<Public>(std::move(answer));
        } else if (!answer) {
            return error_of(answer.error());
        } else if constexpr (std::is_same_v<Public, Done>) {
            return Done{};
        } else {
            return detail::public_value<Public>(*std::move(answer));
        }
    } catch (const StatementRefused& error) {
        return error_of(error);
    } catch (const CannotStart& error) {
        return Error{"CANNOT_START", base::redacted(error.what())};
    } catch (const OutcomeUnknown& error) {
        return Error{"COMMIT_OUTCOME_UNKNOWN", base::redacted(error.what())};
    } catch (const Unavailable& error) {
        return Error{"STORAGE_UNAVAILABLE", base::redacted(error.what())};
    } catch (const std::exception& error) {
        return Error{"INTERNAL_ERROR", base::redacted(error.what())};
    } catch (...) {
        return Error{"INTERNAL_ERROR", "an exception of unknown type was thrown"};
    }
}

/// The same for an object of `process`; refused in its children.
template <class Public, class Work>
Result<Public> answered(const OwnProcess& process, Work work) {
    if (process.forked()) return process.error();
    return answered<Public>(std::move(work));
}

}  // namespace sundial::embedding

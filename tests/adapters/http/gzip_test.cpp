#include "adapters/http/gzip.hpp"

#include <gmock/gmock.h>
#include <zlib.h>

#include <cstdint>

#include "adapters/http/message.hpp"

namespace sundial::http {
namespace {

/// Fails the test unless `file` is one complete member of gzip; zlib also compares its checksum.
std::string gunzipped(std::string& file) {
    std::string text(4UL * 1024 * 1024, '\0');
    z_stream stream{};
    EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(file.data());
    stream.avail_in = static_cast<uInt>(file.size());
    stream.next_out = reinterpret_cast<Bytef*>(text.data());
    stream.avail_out = static_cast<uInt>(text.size());
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    EXPECT_EQ(stream.avail_in, 0U);
    text.resize(stream.total_out);
    inflateEnd(&stream);
    return text;
}

TEST(Gzip, RoundTripsAnyText) {
    std::string noise;
    std::uint32_t state = 1;
    for (int i = 0; i < 300'000; ++i) {
        state = state * 1'664'525 + 1'013'904'223;
        noise += static_cast<char>(state >> 24);
    }
    for (const std::string& text :
         {std::string{}, std::string{"a"}, std::string(3'000'000, 'a'), noise}) {
        std::string file = gzip(text);
        EXPECT_EQ(gunzipped(file), text) << text.size();
        EXPECT_EQ(gunzip(file), text) << text.size();
    }
    EXPECT_LT(gzip(std::string(100'000, 'a')).size(), 1'000U);
}

TEST(AcceptsGzip, ReadsWeightsAndTheStar) {
    for (const char* yes : {"gzip", "GZIP", "deflate, gzip;q=0.5", "*", "br;q=1.0, *;q=0.1",
                            "gzip;q=1, *;q=0", " gzip "}) {
        EXPECT_TRUE(accepts_gzip(yes)) << yes;
    }
    for (const char* no : {"", "identity", "br", "gzip;q=0", "gzip;q=0.000, *", "*;q=0", "xgzip"}) {
        EXPECT_FALSE(accepts_gzip(no)) << no;
    }
}

Response long_answer() { return json(200, '"' + std::string(2'000, 'a') + '"'); }

TEST(Compress, SendsLongTextsToClientsThatTakeGzip) {
    Response response = long_answer();
    const std::string body = response.body;
    compress(response, true);
    EXPECT_EQ(response.headers.find("Content-Encoding"), "gzip");
    EXPECT_EQ(response.headers.find("Vary"), "Accept-Encoding");
    EXPECT_EQ(gunzipped(response.body), body);
    response = text(200, "text/plain; charset=utf-8", std::string(2'000, 'a'));
    compress(response, true);
    EXPECT_EQ(response.headers.find("Content-Encoding"), "gzip");
}

TEST(Compress, LeavesOtherClientsTheTextButTellsCaches) {
    Response response = long_answer();
    const std::string body = response.body;
    compress(response, false);
    EXPECT_EQ(response.body, body);
    EXPECT_FALSE(response.headers.find("Content-Encoding"));
    EXPECT_EQ(response.headers.find("Vary"), "Accept-Encoding");
}

TEST(Compress, LeavesShortTextsSecretsTaggedBytesAndOtherTypesAlone) {
    const Response whole = long_answer();
    Response small = json(200, std::string(1'024, '1'));
    Response secret = whole;
    secret.secret = true;
    Response tagged = whole;
    tagged.headers.add("ETag", "\"3\"");
    Response image = text(200, "image/png", whole.body);
    Response pushed = text(200, "text/event-stream", whole.body);
    for (Response* response : {&small, &secret, &tagged, &image, &pushed}) {
        const std::string body = response->body;
        compress(*response, true);
        EXPECT_EQ(response->body, body);
        EXPECT_FALSE(response->headers.find("Content-Encoding"));
        EXPECT_FALSE(response->headers.find("Vary"));
    }
}

}  // namespace
}  // namespace sundial::http

// A queue of SQS for measurements: it accepts every message at once and checks no signature. Prints its port; once MESSAGES have
// arrived, the seconds from the first to the last request and the number of requests, and ends.
//
// usage: node sqs_queue.mjs MESSAGES
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

const wanted = Number(process.argv[2]);
const seen = new Set();
let first = 0;
let requests = 0;

// AWS's SDK compares the digest with that of the text that it sent.
const digest = (text) => createHash('md5').update(text).digest('hex');

function accept({ Entries }) {
    for (const { MessageAttributes } of Entries) seen.add(MessageAttributes.idempotencyKey.StringValue);
    return { Successful: Entries.map(({ Id, MessageBody }) => ({ Id, MessageId: Id, MD5OfMessageBody: digest(MessageBody) })) };
}

const server = createServer((request, response) => {
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => {
        first ||= performance.now();
        requests += 1;
        const text = JSON.stringify(accept(JSON.parse(Buffer.concat(pieces))));
        const sent = { 'Content-Type': 'application/x-amz-json-1.0', 'Content-Length': Buffer.byteLength(text) };
        response.writeHead(200, sent).end(text);
        if (seen.size === wanted) {
            console.log(JSON.stringify({ seconds: (performance.now() - first) / 1000, requests }));
            setTimeout(() => process.exit(0), 500);  // the last responses
        }
    });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));

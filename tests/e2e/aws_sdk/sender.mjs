// A bare client of AWS's SDK that fills a queue: batches of ten, so many under way as Sundial allows. Prints its messages a
// second and the time of its first one.
//
// usage: node sender.mjs QUEUE_URL REGION MESSAGES [UNDER_WAY]    credentials by the environment
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';

const [url, region, messages, underWay = '16'] = process.argv.slice(2);
const client = new SQSClient({ region, endpoint: new URL(url).origin });
const attribute = (value) => ({ DataType: 'String', StringValue: value });

function entry(number) {
    const key = `bare-${number}`;
    return {
        Id: String(number % 10),
        MessageBody: JSON.stringify({
            eventId: `0199a2b0-11b6-7652-9616-${String(number).padStart(12, '0')}`, eventType: 'BIRTHDAY', idempotencyKey: key,
            metadata: { userId: null, targetTimestampUTC: '2027-01-05T09:00:00.000Z',
                        deliveryPayload: { message: "Hey, Ada Lovelace it's your birthday" } } }),
        MessageAttributes: { eventType: attribute('BIRTHDAY'), idempotencyKey: attribute(key) },
    };
}

let next = 0;
async function send() {
    while (next < Number(messages)) {
        const first = next;
        next += 10;
        const Entries = Array.from({ length: Math.min(10, Number(messages) - first) }, (_, i) => entry(first + i));
        const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries }));
        if (Failed.length) throw new Error(JSON.stringify(Failed));
    }
}

await Promise.all(Array.from({ length: Number(underWay) }, send));

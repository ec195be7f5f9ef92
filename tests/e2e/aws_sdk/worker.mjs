// The worker of a queue of birthdays, as deployments with EventBridge and Lambda have it: it reads messages with AWS's SDK,
// handles each birthday once by its idempotency key, and deletes the message. It knows nothing of Sundial.
//
// usage: node worker.mjs QUEUE_URL REGION HANDLED    credentials by the environment; HANDLED: a file, one line per birthday
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

const READERS = 4;
const [url, region, file] = process.argv.slice(2);
const client = new SQSClient({ region, endpoint: new URL(url).origin });
const handled = new Set(existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line).key) : []);

function handle(message) {
    const { eventId, eventType, idempotencyKey, metadata } = JSON.parse(message.Body);
    const attributes = message.MessageAttributes;
    if (eventType !== 'BIRTHDAY' || !eventId || attributes.eventType.StringValue !== eventType
        || attributes.idempotencyKey.StringValue !== idempotencyKey || Number.isNaN(Date.parse(metadata.targetTimestampUTC))) {
        throw new Error(`not a birthday: ${message.Body}`);
    }
    if (handled.has(idempotencyKey)) return;
    handled.add(idempotencyKey);
    const birthday = { key: idempotencyKey, user: metadata.userId, at: metadata.targetTimestampUTC,
                       text: metadata.deliveryPayload.message };
    appendFileSync(file, `${JSON.stringify(birthday)}\n`);
}

async function read() {
    for (;;) {
        const { Messages = [] } = await client.send(new ReceiveMessageCommand({
            QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: 5, MessageAttributeNames: ['All'] }));
        for (const message of Messages) {
            handle(message);
            await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message.ReceiptHandle }));
        }
    }
}

await Promise.all(Array.from({ length: READERS }, read));

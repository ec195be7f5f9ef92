// Calls of AWS's SDK for the lines of its standard input, one response each: {"call":"SendMessage","input":{…}} gives
// {"output":{…}} or {"error":{"name","status","message"}}.
//
// usage: node calls.mjs ORIGIN REGION    credentials by the environment
import { createInterface } from 'node:readline';
import * as sqs from '@aws-sdk/client-sqs';

const [endpoint, region] = process.argv.slice(2);
const client = new sqs.SQSClient({ region, endpoint, maxAttempts: 1 });

for await (const line of createInterface({ input: process.stdin })) {
    const { call, input } = JSON.parse(line);
    let answer;
    try {
        const { $metadata, ...output } = await client.send(new sqs[`${call}Command`](input));
        answer = { output };
    } catch (error) {
        answer = { error: { name: error.name, status: error.$metadata?.httpStatusCode ?? null, message: error.message } };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
}

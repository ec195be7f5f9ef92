// Whether the signatures of requests are those that @smithy/signature-v4, the signer of AWS's SDK for JavaScript, computes. Each
// line of standard input is a request: {"method","url","headers","body","region","accessKeyId","secretAccessKey","sessionToken"}.
// Prints {"checked":N,"wrong":[…]}. Each request is also changed by a character, which must change its signature.
import { createInterface } from 'node:readline';
import { Sha256 } from '@aws-crypto/sha256-js';
import { HttpRequest } from '@smithy/protocol-http';
import { SignatureV4 } from '@smithy/signature-v4';

const PARTS = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/sqs\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;

async function authorization(given, body) {
    const [, , , , names] = PARTS.exec(given.headers.authorization);
    const { accessKeyId, secretAccessKey, sessionToken } = given;
    const signer = new SignatureV4({ service: 'sqs', region: given.region, sha256: Sha256, applyChecksum: false,
                                     credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) } });
    const url = new URL(given.url);
    const signed = names.split(';').filter((name) => name !== 'x-amz-date' && name !== 'x-amz-security-token');
    const request = new HttpRequest({ method: given.method, protocol: url.protocol, hostname: url.hostname, path: url.pathname, body,
                                      headers: Object.fromEntries(signed.map((name) => [name, given.headers[name]])) });
    const stamp = given.headers['x-amz-date'].replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
    return (await signer.sign(request, { signingDate: new Date(stamp) })).headers.authorization;
}

let checked = 0;
const wrong = [];
for await (const line of createInterface({ input: process.stdin })) {
    const given = JSON.parse(line);
    checked += 1;
    const found = given.headers.authorization;
    const right = await authorization(given, given.body);
    const other = await authorization(given, `${given.body} `);
    if (found !== right || found === other) wrong.push({ found, right });
}
console.log(JSON.stringify({ checked, wrong }));

// Senders of large bodies. Each sends one request after the other for the given seconds. A refused sender waits as long
// as `Retry-After` says.
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

process.once('message', async ({ url, senders, megabytes, seconds }) => {
  const item = '{"id":1,"name":"user1","email":"u1@example.com"}';
  const body = Buffer.from(`[${`${item},`.repeat((megabytes * 1_000_000) / (item.length + 1) - 1)}${item}]`);
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const end = performance.now() + seconds * 1_000;
  const answers = {};

  const send = () =>
    new Promise((resolve) => {
      const sending = request(url, { method: 'POST', headers }, (answer) => {
        answer.resume();
        answer.once('close', () => resolve({ status: answer.statusCode, after: answer.headers['retry-after'] }));
      });
      sending.once('error', (/** @type {NodeJS.ErrnoException} */ error) => resolve({ status: error.code, after: 1 }));
      sending.end(body);
    });
  const keepSending = async () => {
    while (performance.now() < end) {
      const { status, after } = await send();
      answers[status] = (answers[status] ?? 0) + 1;
      if (status !== 200) await wait(Number(after ?? 1) * 1_000);
    }
  };
  await Promise.all(Array.from({ length: senders }, keepSending));
  process.send?.(answers, () => process.disconnect());
});

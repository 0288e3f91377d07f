// W13: measures what a crowd that signs in costs other requests of the api, and whether the time of a refused sign-in
// tells an unknown user from a wrong password.
import { randomUUID } from 'node:crypto';
import { askApi, quantiles } from './api-answers.mjs';
import { quantile } from './quantile.mjs';

const USERS = 100;
const REFUSED = 500;
const PASSWORD = 'correct horse battery staple';

/** Requests name an address of their own, as those of a trusted proxy do: attempts are limited by address. */
async function authenticate(service, path, body, n) {
  const from = performance.now();
  const answer = await fetch(`${service.base}/api/v1/authentication/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.0.${n >> 8}.${n & 255}` },
    body: JSON.stringify(body),
  });
  await answer.text();
  return { status: answer.status, ms: performance.now() - from };
}

async function expect(answer, status) {
  const { status: answered, ms } = await answer;
  if (answered !== status) throw new Error(`An authentication answered ${answered} instead of ${status}.`);
  return ms;
}

/** The service needs SVC_SIGN_UP_ENABLED. */
export async function signIns(service) {
  console.error(`W13: signing ${USERS} users up …`);
  const emails = Array.from({ length: USERS }, () => `${randomUUID()}@example.com`);
  for (const [n, email] of emails.entries()) {
    const user = { email, password: PASSWORD, firstName: 'A', lastName: 'B' };
    await expect(authenticate(service, 'sign-up', user, n), 201);
  }
  console.error(`W13: ${USERS} users sign in at once …`);
  const stopAsking = askApi(service);
  const signedIn = await Promise.all(
    emails.map((email, n) => expect(authenticate(service, 'sign-in', { email, password: PASSWORD }, n), 200)),
  );
  const apiMs = quantiles(await stopAsking());
  console.error(`W13: ${REFUSED} refused sign-ins of each kind, in turn …`);
  /** @type {Record<'unknownUser' | 'wrongPassword', number[]>} */
  const refused = { unknownUser: [], wrongPassword: [] };
  for (let n = 0; n < REFUSED; n++) {
    const wrong = { email: emails[n % USERS], password: 'not the password' };
    const unknown = { email: `${randomUUID()}@example.com`, password: 'not the password' };
    refused.wrongPassword.push(await expect(authenticate(service, 'sign-in', wrong, n + 1_000), 401));
    refused.unknownUser.push(await expect(authenticate(service, 'sign-in', unknown, n + 1_000), 401));
  }
  return {
    users: USERS,
    signInMs: quantiles(signedIn),
    apiMs,
    refused: REFUSED,
    unknownUserMs: quantile(refused.unknownUser, 0.5),
    wrongPasswordMs: quantile(refused.wrongPassword, 0.5),
  };
}

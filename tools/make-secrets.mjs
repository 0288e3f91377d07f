/**
 * `npm run -s make-secrets > deploy/.env`: writes the environment of deploy/compose.yml with new secrets.
 * `npm run -s make-secrets -- --kubernetes > secrets.yaml`: the Secrets that deploy/kubernetes refers to.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CannotContinue, giveUp } from './progress.mjs';
import { newSecrets } from './start/credentials.mjs';

const EXAMPLE_ENVIRONMENT = new URL('../deploy/.env.example', import.meta.url);
const EXAMPLE_SECRETS = new URL('../deploy/kubernetes/secrets.example.yaml', import.meta.url);

const KEEP_THE_KEY = `# Keep a copy of SVC_ENCRYPTION_KEY apart from the backups: without it the secrets in them cannot be opened.`;

/** The comment at the head of a file is about the example. */
const withoutHead = (text) => text.replace(/^(#.*\n)+\n*/, '');

/** The example environment, with a new secret in each empty place. */
export function makeEnvironment() {
  const secrets = { ...newSecrets(), POSTGRES_PASSWORD: randomBytes(24).toString('hex') };
  const example = withoutHead(readFileSync(EXAMPLE_ENVIRONMENT, 'utf8'));
  return `${KEEP_THE_KEY}\n\n${example.replace(/^(\w+)=$/gm, (_, name) => `${name}=${secrets[name]}`)}`;
}

/** The example Secrets under the names that the Deployments refer to, with new values. The URLs of the stores are left. */
export async function makeSecrets() {
  const { parseAllDocuments } = await import('yaml'); // only here: the environment is made before `npm ci`
  const secrets = newSecrets();
  const documents = parseAllDocuments(withoutHead(readFileSync(EXAMPLE_SECRETS, 'utf8')));
  for (const document of documents) {
    const { metadata, stringData } = document.toJS();
    document.deleteIn(['metadata', 'namespace']);
    document.setIn(['metadata', 'name'], metadata.name.replace(/-example$/, ''));
    for (const name of Object.keys(stringData)) if (secrets[name]) document.setIn(['stringData', name], secrets[name]);
  }
  return `${KEEP_THE_KEY}\n${documents.map(String).join('')}`;
}

const USAGE = 'npm run -s make-secrets > deploy/.env, or npm run -s make-secrets -- --kubernetes > secrets.yaml';

/** An option that nobody knows must not print the other kind of secrets. */
async function print() {
  try {
    const { values } = parseArgs({ options: { kubernetes: { type: 'boolean' }, help: { type: 'boolean' } } });
    if (values.help) console.log(USAGE);
    else process.stdout.write(values.kubernetes ? await makeSecrets() : makeEnvironment());
  } catch (/** @type {any} */ error) {
    giveUp(new CannotContinue(`${error.message}\n${USAGE}`));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await print();

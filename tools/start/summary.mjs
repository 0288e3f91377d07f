/** Prints the end of a start: the URL of the service, the credentials, and two commands to try. */
import { relative } from 'node:path';

export function printSummary({ service, credentials, makesAdministrator, flowId, databaseFolder }) {
  const { apps, dataDir } = service.settings;
  console.log('');
  if (apps.includes('webhook-gateway')) row('Millrace is ready', service.baseUrl);
  else row('The worker runs', `for the api at ${process.env.SVC_API_URL || service.apiUrl}`);
  if (apps.includes('webhook-gateway')) row('API documentation', `${service.baseUrl}/api/docs`);
  if (databaseFolder) row('Database', databaseFolder);
  row('Logs', `${dataDir}/logs`);
  if (apps.includes('api')) printCredentials(credentials, makesAdministrator);
  if (flowId) printExample({ service, credentials, flowId });
  console.log('\nStop it with Ctrl-C. Your data stays.');
}

function printCredentials(credentials, makesAdministrator) {
  if (!credentials.isNew) {
    row('Credentials', `those of the first start, in ${credentials.file}`);
    return;
  }
  const shown = (name) => (credentials.isGiven(name) ? 'the one that you have set' : credentials.get(name));
  if (makesAdministrator) {
    row('Administrator', credentials.get('adminEmail'));
    row('Password', shown('adminPassword'));
  } else row('Administrator', 'as before: the database has its users, with their passwords');
  row('API key', shown('apiKey'));
  row('', `(stored in ${credentials.file}, shown only this once)`);
}

function row(title, text) {
  console.log(`${title.padEnd(18)} ${text}`);
}

function printExample({ service, credentials, flowId }) {
  const webhook = `${service.gatewayUrl}/api/v1/webhooks/${flowId}`;
  const newestRun = `${service.gatewayUrl}/api/v1/flow-runs?projectId=${credentials.get('projectId')}&flowId=${flowId}&limit=1`;
  console.log('\nCall the example flow:\n');
  console.log(`  curl -X POST ${webhook} -H 'content-type: application/json' -d '{"name":"Ada"}'`);
  console.log('\nRead its newest run:\n');
  console.log(`  curl -H "authorization: Bearer ${apiKeyToPaste(credentials)}" '${newestRun}'`);
}

/**
 * The API key for a command to paste. After the first start, it is a shell expression that reads the key from its file.
 */
function apiKeyToPaste(credentials) {
  if (credentials.isGiven('apiKey')) return '$SVC_ADMIN_API_KEY';
  if (credentials.isNew) return credentials.get('apiKey');
  const near = relative(process.cwd(), credentials.file);
  const file = near.startsWith('..') ? credentials.file : `./${near}`;
  return `$(node -p 'require("${file}").apiKey')`;
}

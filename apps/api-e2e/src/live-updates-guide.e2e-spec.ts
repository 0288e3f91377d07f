import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

// Runs the program of the page docs/live-updates.md.

const root = join(__dirname, '../../..');
const MARKDOWN = readFileSync(join(root, 'docs/live-updates.md'), 'utf8');
const SLOW = 'export const code = async () => { await sleep(1_500); return 1; };';

const run = promisify(execFile);

/** Returns the first block of a language. */
const blockOf = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(MARKDOWN)?.[1] ?? '';

describe('the client of the guide to live updates', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let folder: string;

  beforeAll(() => {
    // The directory is inside the repository, so that the program finds its packages.
    mkdirSync(join(root, 'tmp'), { recursive: true });
    folder = mkdtempSync(join(root, 'tmp/live-updates-'));
    writeFileSync(join(folder, 'watch.mjs'), blockOf('js'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('prints what the guide says', async () => {
    const project = await client.createProject('Guide');
    const flow = await client.publishFlow(project, 'Slow', webhookTrigger([codeStep('slow', {}, SLOW)]));
    const settings = { MILLRACE_URL: service.baseUrl, MILLRACE_API_KEY: service.adminApiKey };
    const env = { ...process.env, ...settings, MILLRACE_PROJECT: project, MILLRACE_FLOW: flow.id };

    const { stdout, stderr } = await run(process.execPath, [join(folder, 'watch.mjs')], { env });

    expect(stderr).toBe('');
    // The run is shown again when it is claimed.
    expect(new Set(stdout.split('\n'))).toEqual(new Set(blockOf('text').split('\n')));
  });
});

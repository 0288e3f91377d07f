import { CALL_TOKEN_SECONDS, CallTokens } from './call-tokens';

const OWN = '0198f3a0-0000-7000-8000-000000000001';
const OTHER = '0198f3a0-0000-7000-8000-000000000002';
const NOW = new Date('2026-11-28T12:00:00Z');
const later = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1_000);

describe('the token by which a worker reads for a package', () => {
  const tokens = new CallTokens(async () => Buffer.alloc(32, 1));

  it('is of one project, until it expires', async () => {
    const token = await tokens.issue(OWN, NOW);

    expect(CallTokens.isOne(token)).toBe(true);
    expect(await tokens.projectOf(token, later(CALL_TOKEN_SECONDS - 1))).toBe(OWN);
    expect(await tokens.projectOf(token, later(CALL_TOKEN_SECONDS))).toBeNull();
  });

  it.each<[string, (token: string) => string]>([
    ['of another project', (token) => token.replace(OWN, OTHER)],
    ['that lasts longer', (token) => token.replace(/\.(\d+)\./, (_, expires) => `.${Number(expires) + 60}.`)],
    ['with another signature', (token) => `${token.slice(0, -2)}${token.endsWith('AA') ? 'BA' : 'AA'}`],
    ['without a signature', (token) => token.slice(0, token.lastIndexOf('.') + 1)],
    ['of another form', () => 'pc-'],
  ])('is none of ours when it is one %s', async (_what, change) => {
    const changed = change(await tokens.issue(OWN, NOW));

    expect(await tokens.projectOf(changed, NOW)).toBeNull();
  });

  it('of another installation is none of ours', async () => {
    const foreign = new CallTokens(async () => Buffer.alloc(32, 2));

    expect(await tokens.projectOf(await foreign.issue(OWN, NOW), NOW)).toBeNull();
  });
});

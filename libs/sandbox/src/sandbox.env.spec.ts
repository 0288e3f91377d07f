import { cleanEnv } from 'envalid';
import { sandboxEnv } from './sandbox.env';

const parse = (settings: Record<string, string>) =>
  cleanEnv(settings, sandboxEnv, {
    reporter: ({ errors }) => {
      for (const [name, error] of Object.entries(errors)) throw new Error(`${name} ${error?.message}`);
    },
  });

describe('sandboxEnv', () => {
  it('has the documented defaults', () => {
    expect(parse({})).toMatchObject({
      SVC_SANDBOX_MEMORY_LIMIT: 128,
      SVC_SANDBOX_CPU_SECONDS: 10,
      SVC_SANDBOX_SLEEP_MEMORY: 256,
    });
    expect(parse({}).SVC_SANDBOX_THREADS).toBeGreaterThan(0);
  });

  it.each([
    ['SVC_SANDBOX_MEMORY_LIMIT', '0'],
    ['SVC_SANDBOX_MEMORY_LIMIT', 'much'],
    ['SVC_SANDBOX_CPU_SECONDS', '-1'],
    ['SVC_SANDBOX_CPU_SECONDS', ''],
    ['SVC_SANDBOX_SLEEP_MEMORY', '-5'],
    ['SVC_SANDBOX_THREADS', '1.5'],
  ])('refuses %s=%s and names the variable', (name, value) => {
    expect(() => parse({ [name]: value })).toThrow(name);
  });
});

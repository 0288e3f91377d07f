import { readFileSync } from 'node:fs';
import type {} from './web-assembly';
import { ImageCache } from './image-cache';
import { Isolate, type IsolateHost } from './isolate';
import { DEFAULT_LIMITS } from './limits';
import type { ThreadTask } from './thread-protocol';

const silentHost: IsolateHost = {
  images: new ImageCache(),
  clock: { wallMs: () => performance.now(), cpuMs: () => performance.now() },
  guestEnters: () => undefined,
  guestLeaves: () => undefined,
  isUnwanted: () => false,
};

const task = (key: string, script: string, input: unknown = null): ThreadTask => ({
  slot: 0,
  tenant: 'tenant',
  key,
  script,
  input: JSON.stringify(input),
  run: '{}',
  sleepsOver: 0,
  usedMs: 0,
});

describe('Isolate', () => {
  let isolate: Isolate;

  beforeAll(async () => {
    const wasm = await WebAssembly.compile(readFileSync(require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm')));
    isolate = await Isolate.create(1, wasm, { ...DEFAULT_LIMITS, cpuMs: 500 }, silentHost);
  });

  it('leaves nothing of a step in its memory', () => {
    const secret = ['canary', 'of', 'the', 'step'].join('-');
    const keep = `async (inputs) => {
      globalThis.kept = inputs.secret + '!';
      globalThis.wide = inputs.secret + '\\u4e2d';
      const deep = (n) => (n === 0 ? inputs.secret.length : deep(n - 1));
      return [deep(500), Array.from({ length: 20000 }, (_, i) => inputs.secret + i).length];
    }`;

    const outcome = isolate.begin(task('secret', keep, { secret }));
    const isHeldDuringTheStep = holds(secret);
    const isClean = isolate.isCleanAfterReset();

    expect(outcome).toMatchObject({ kind: 'value', output: '[18,20000]' });
    expect({ isHeldDuringTheStep, isClean, isHeldAfterwards: holds(secret) }).toEqual({
      isHeldDuringTheStep: true,
      isClean: true,
      isHeldAfterwards: false,
    });
  });

  it.each([
    ['a thrown error', 'async () => { globalThis.x = 1; throw new Error("x") }'],
    ['an endless loop', 'async () => { for (;;) globalThis.x = [1] }'],
    ['a rejected promise nobody awaits', 'async () => { Promise.reject(1); return 1 }'],
    ['jobs left over', 'async () => { Promise.resolve().then(() => { for (;;); }); return 1 }'],
  ])('is clean again after %s', (name, script) => {
    isolate.begin(task(name, script));

    expect({ clean: isolate.isCleanAfterReset(), spoiled: isolate.spoiled }).toEqual({ clean: true, spoiled: '' });
  });

  it('draws other random numbers in each step', () => {
    const draws = Array.from({ length: 5 }, () => isolate.begin(task('random', 'async () => Math.random()')));

    expect(new Set(draws.map((draw) => (draw as { output: string }).output)).size).toBe(5);
  });

  it('keeps what the top level of a bundle made, and only that', () => {
    const counter = 'function makeStep() { let steps = 0; return async () => ++steps; }';

    const first = isolate.begin(task('counter', counter));
    const second = isolate.begin(task('counter', counter));

    expect([first, second]).toMatchObject([{ output: '1' }, { output: '1' }]);
  });

  it('asks for a script it does not know', () => {
    expect(isolate.begin({ ...task('unknown', ''), script: undefined })).toBe('unknown-script');
  });

  function holds(text: string): boolean {
    const memory = Buffer.from(isolate['memory'].buffer);
    return memory.includes(Buffer.from(text, 'latin1')) || memory.includes(Buffer.from(text, 'utf16le'));
  }
});

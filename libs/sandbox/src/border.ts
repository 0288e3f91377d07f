import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten';
import { GUEST_PRELUDE } from './guest-prelude';
import type { SandboxLimits } from './limits';

const FUNCTIONS = ['isWhole', 'makeStep', 'start', 'wake', 'finish', 'describe'] as const;

/** The functions of the guest prelude that the host calls. */
export type Border = Record<(typeof FUNCTIONS)[number], QuickJSHandle>;

/** The host functions that guest code reaches through `console` and `sleep`. */
export interface HostSide {
  log(json: string): void;
  /** Returns the reason when the host refuses the sleep, otherwise undefined. */
  sleep(id: number, ms: number): string | undefined;
  /** Reports that a host function threw or was freed. The interpreter cannot be trusted after that. */
  fault(reason: string): void;
}

/** Runs the guest prelude, which must run before any guest code does. */
export function buildBorder(
  runtime: QuickJSRuntime,
  context: QuickJSContext,
  limits: SandboxLimits,
  host: HostSide,
): Border {
  // The guest cannot drop the last reference to a host function. If it could, an image would refer to a freed function.
  const callbacks = (runtime as unknown as { cToHostCallbacks: { freeHostRef: () => void } }).cToHostCallbacks;
  callbacks.freeHostRef = () => host.fault('host function freed');

  // An exception must not leave a host function, because it would unwind the interpreter's own frames.
  const guarded = (work: () => string | undefined): QuickJSHandle => {
    try {
      const answer = work();
      return answer === undefined ? context.undefined : context.newString(answer);
    } catch {
      host.fault('host function failed');
      return context.undefined;
    }
  };
  const log = context.newFunction('log', (json) =>
    guarded(() => {
      host.log(context.getString(json));
      return undefined;
    }),
  );
  const sleep = context.newFunction('sleep', (id, ms) =>
    guarded(() => host.sleep(context.getNumber(id), context.getNumber(ms))),
  );

  const bounds = [limits.outputBytes, limits.logChars, limits.logLines].map((bound) => context.newNumber(bound));
  const prelude = context.unwrapResult(context.evalCode(GUEST_PRELUDE, 'prelude.js', { type: 'global' }));
  const made = context.unwrapResult(context.callFunction(prelude, context.undefined, [log, sleep, ...bounds]));
  return Object.fromEntries(FUNCTIONS.map((name) => [name, context.getProp(made, name)])) as Border;
}

import type { CompiledStep } from '../compile/compile-version';
import type { Halt } from '../run/halt';
import type { RunScope } from '../run/run-scope';
import type { RunWalk } from '../run/run-walk';

/**
 * Executes the body of a container. Containers get it as an argument, so that their files do not import their caller.
 */
export type ExecuteSteps = (steps: readonly CompiledStep[], scope: RunScope, run: RunWalk) => Promise<Halt | null>;

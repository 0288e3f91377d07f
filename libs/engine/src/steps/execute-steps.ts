import type { CompiledStep } from '../compile/compile-version';
import type { Halt } from '../run/halt';
import type { RunScope } from '../run/run-scope';
import type { RunWalk } from '../run/run-walk';

/** How a container has its body executed: it is given the function, so that steps do not depend on what calls them. */
export type ExecuteSteps = (steps: readonly CompiledStep[], scope: RunScope, run: RunWalk) => Promise<Halt | null>;

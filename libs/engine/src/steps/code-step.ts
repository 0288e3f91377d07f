import type { CompiledCodeStep } from '../compile-version';
import type { Halt } from '../halt';
import type { RunInProgress } from '../run-in-progress';
import type { RunScope } from '../run-scope';
import { executeAction } from './action-step';

/** Code is pure: it may run again after a crash, so its record rides along in the next segment. */
export function executeCodeStep(step: CompiledCodeStep, scope: RunScope, run: RunInProgress): Promise<Halt | null> {
  const running = run.runningStep(scope.pathOf(step.name));
  return executeAction(step, scope, run, (input) =>
    run.ports.codeRunner.run({ program: step.program, input, run: running, slot: run.ports.slot }, run.signal),
  );
}

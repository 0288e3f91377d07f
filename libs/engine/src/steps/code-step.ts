import type { CompiledCodeStep } from '../compile/compile-version';
import type { Halt } from '../run/halt';
import type { StepWalk } from '../run/step-walk';
import { executeAction } from './action-step';

/** Code is pure: it may run again after a crash, so its record rides along in the next segment. */
export function executeCodeStep(step: CompiledCodeStep, walk: StepWalk): Promise<Halt | null> {
  const { running, run } = walk;
  const { codeRunner, slot } = run.ports;
  return executeAction(step, walk, (input) =>
    codeRunner.run({ program: step.program, input, run: running, slot }, run.signal),
  );
}

import type { CompiledCodeStep } from '../compile/compile-version';
import type { Halt } from '../run/halt';
import type { StepWalk } from '../run/step-walk';
import { executeAction } from './action-step';

/** Executes a code step. Code is pure and may run again after a crash, so its record does not have to be durable. */
export function executeCodeStep(step: CompiledCodeStep, walk: StepWalk): Promise<Halt | null> {
  const { running, run } = walk;
  const { codeRunner, slot } = run.ports;
  return executeAction(step, walk, (input) =>
    codeRunner.run({ program: step.program, input, run: running, slot }, run.signal),
  );
}

import type { OutputFile, StepResults, TriggerResult } from '@millrace/domain';

type Step = TriggerResult | StepResults[string];
type Steps = Record<string, Step>;

interface LoopOutput {
  iterations: Steps[];
}

/** An offloaded output, as the API shows it. */
export interface LinkedOutput {
  id: string;
  bytes: number;
  url: string;
}

/**
 * Returns the steps of a run with a link in place of each reference to an offloaded output. Other steps stay unchanged.
 */
export function withOutputLinks(steps: Steps, linkTo: (fileId: string) => string): Record<string, object> {
  return Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, linkedStep(step, linkTo)]));
}

function linkedStep(step: Step, linkTo: (fileId: string) => string): object {
  const linked = { ...step, ...linkedOutput(step, linkTo) };
  if (step.type !== 'LOOP_ON_ITEMS') return linked;
  const output = step.output as LoopOutput;
  return {
    ...linked,
    output: { ...output, iterations: output.iterations.map((steps) => withOutputLinks(steps, linkTo)) },
  };
}

/** Returns the link to the output of a step, when it was offloaded. */
export function linkedOutput(step: Step, linkTo: (fileId: string) => string): { outputFile?: LinkedOutput } {
  const file = (step as { outputFile?: OutputFile }).outputFile;
  return file ? { outputFile: { id: file.fileId, bytes: file.bytes, url: linkTo(file.fileId) } } : {};
}

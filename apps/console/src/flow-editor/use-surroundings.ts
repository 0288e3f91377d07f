import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { relativeTime } from '../controls/time-words';
import type { PickerStep } from '../data-picker/picker-rows';
import type { Surroundings, TokenTarget } from '../expression-field/expression-context';
import type { Step } from '../flow-picture/step';
import { earlierSteps } from './earlier-steps';
import { evaluate, samplesQuery, type Sample } from './sample-requests';
import { words } from './panel-words';

interface SurroundedStep {
  flowId: string;
  trigger: Step;
  stepName: string;
  /** Whether the service has the step, so that it can evaluate something there. */
  isSaved: boolean;
}

/** What the fields of a step can read: the data of the steps before it. */
export function useStepSurroundings({ flowId, trigger, stepName, isSaved }: SurroundedStep) {
  const { data: samples, dataUpdatedAt } = useQuery(samplesQuery(flowId));
  const target = useRef<TokenTarget | null>(null);
  const earlier = useMemo(() => earlierSteps(trigger, stepName), [trigger, stepName]);
  const steps = useMemo(
    () => earlier.map((step) => pickerStep(step, samples?.outputs.get(step.name))),
    [earlier, samples],
  );
  const surroundings = useMemo((): Surroundings => {
    const known = steps.flatMap(({ name, sample }) => (sample ? [[name, sample] as const] : []));
    return {
      key: `${flowId}/${stepName}/${dataUpdatedAt}`,
      samples: new Map(known),
      variables: {
        ...Object.fromEntries(steps.map(({ name, sample }) => [name, sample?.value])),
        run: { id: '', flowId, projectId: '' },
      },
      evaluate: isSaved ? (texts, signal) => evaluate(flowId, stepName, texts, signal) : null,
      target,
    };
  }, [flowId, stepName, isSaved, steps, dataUpdatedAt]);
  return { surroundings, steps, samples };
}

const pickerStep = ({ name, displayName }: Step, sample: Sample | undefined): PickerStep => ({
  name,
  displayName,
  sample: sample && !sample.isTooLarge ? sample : null,
  says: !sample
    ? words.noSample
    : sample.isTooLarge
      ? words.tooLarge
      : words.sampleOf(relativeTime(sample.savedAt, Date.now())),
});

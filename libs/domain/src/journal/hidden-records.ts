import type { HiddenValues } from '../connections/hidden-values';
import { connectionsReferredBy, shownText, type References, type StoredText } from '../connections/value-references';
import type { JsonText } from '../json/json-text';
import { hiddenResponse } from './hidden-response';
import type { RunEffects } from './step-effects';
import { isLoop, type RecordedStep, type StepRecord } from './step-record';
import type { StepWait } from './step-wait';

// The records of a run without the values of connections.
//
// R1. What a later walk reads again keeps references: outputs, the items of loops, responses, the payloads of children.
//     Everything else only keeps the mark.
// R2. Only the output and the items of a record are put back when a run continues. A response stays as it is stored
//     until it is sent, and a payload until its run executes.

/** The record as it is written. It is the same object when nothing of it is hidden. */
export function hiddenRecord(step: StepRecord, hidden: HiddenValues): StepRecord {
  if (hidden.isEmpty) return step;
  const { errorMessage, logs, effects, wait } = step;
  const input = step.input === undefined ? undefined : hidden.hide(step.input);
  const output = step.output === undefined ? undefined : hidden.hide(step.output);
  const references = {
    ...(isLoop(step) && isReferring(input) && { input: input.references }),
    ...(isReferring(output) && { output: output.references }),
  };
  return {
    ...step,
    ...(input !== undefined && { input: shownText(input) }),
    ...(output !== undefined && { output: shownText(output) }),
    ...(errorMessage !== undefined && { errorMessage: hidden.mask(errorMessage) }),
    ...(logs && { logs: logs.map((line) => hidden.mask(line)) }),
    ...(effects && { effects: hiddenEffects(effects, hidden) }),
    ...(wait && { wait: hiddenWait(wait, hidden) }),
    ...((references.input ?? references.output) && { references }),
  };
}

/** The wait with the mark in what a person is asked. The payload of its child was hidden when the child was made. */
export function hiddenWait<Wait extends Pick<StepWait, 'request'>>(wait: Wait, hidden: HiddenValues): Wait {
  return wait.request ? { ...wait, request: masked(wait.request, hidden) } : wait;
}

function hiddenEffects({ tags, response, opens, stop }: RunEffects, hidden: HiddenValues): RunEffects {
  return {
    ...(tags && { tags: tags.map((tag) => hidden.mask(tag)) }),
    ...(response && { response: hiddenResponse(response, hidden) }),
    ...(opens && { opens: opens.map((opened) => ({ ...opened, request: masked(opened.request, hidden) })) }),
    ...(stop && { stop: masked(stop, hidden) }),
  };
}

const masked = <Value>(value: Value, hidden: HiddenValues): Value =>
  JSON.parse(shownText(hidden.hide(JSON.stringify(value)))) as Value;

const isReferring = (stored: StoredText | undefined): stored is Exclude<StoredText, JsonText> =>
  typeof stored === 'object';

/** The record with today's values in its output, and in its items when it is a loop. */
export function revealedRecord(step: RecordedStep, hidden: HiddenValues): RecordedStep {
  const { references, ...record } = step;
  if (!references) return step;
  return {
    ...record,
    ...(references.input && { input: revealed(step.input, references.input, hidden) }),
    ...(references.output && { output: revealed(step.output, references.output, hidden) }),
  };
}

const revealed = (value: unknown, references: References, hidden: HiddenValues): unknown =>
  JSON.parse(hidden.reveal({ text: JSON.stringify(value), references }));

/** The connections that a walk needs to read the record. */
export function connectionsOfRecord({ references, outputFile }: RecordedStep): string[] {
  return [references?.input, references?.output, outputFile?.references].flatMap((each) =>
    each ? connectionsReferredBy(each) : [],
  );
}

/** Whether the record refers to any value of a connection. */
export const hasReferences = ({ references, outputFile, effects, wait }: StepRecord | RecordedStep): boolean =>
  (references ?? outputFile?.references ?? effects?.response?.references) !== undefined ||
  typeof wait?.child?.payload === 'object';

import {
  connectionsOfRecord,
  connectionsReferredBy,
  hasReferences,
  isWebhook,
  revealedRecord,
  revealedResponse,
  type HiddenValues,
  type ReferringTexts,
  type ReferringText,
  type RunPayload,
  type WaitEnding,
} from '@millrace/domain';
import type { CompiledFlow } from '../compile/compile-version';
import type { RunToWalk } from './run-to-walk';

/**
 * The run with today's values of connections in its payload, its records and the responses of its children. It is the
 * same object when these refer to nothing, which is nearly always so.
 */
export async function revealedRun(run: RunToWalk, flow: CompiledFlow, texts: ReferringTexts): Promise<RunToWalk> {
  const connections = connectionsOf(run);
  if (connections.length === 0) return run;
  await texts.know([...connections, ...flow.connectionIds]);
  const { hidden } = texts;
  const { triggerOutput, recorded, waitEndings } = run;
  return {
    ...run,
    triggerOutput: isReferring(triggerOutput) ? hidden.reveal(triggerOutput) : triggerOutput,
    recorded: recorded.map((record) => revealedRecord(record, hidden)),
    waitEndings:
      waitEndings && new Map(Array.from(waitEndings, ([id, ending]) => [id, revealedEnding(ending, hidden)])),
  };
}

function connectionsOf({ triggerOutput, recorded, waitEndings }: RunToWalk): string[] {
  const responses = [...(waitEndings?.values() ?? [])].flatMap((ending) => responseOf(ending)?.references ?? []);
  return [
    ...(isReferring(triggerOutput) ? connectionsReferredBy(triggerOutput.references) : []),
    ...(recorded.some(hasReferences) ? recorded.flatMap(connectionsOfRecord) : []),
    ...responses.flatMap(connectionsReferredBy),
  ];
}

const isReferring = (payload: RunPayload): payload is ReferringText =>
  typeof payload !== 'string' && !isWebhook(payload);

const responseOf = (ending: WaitEnding) => (ending.kind === 'child' ? ending.response : null);

function revealedEnding(ending: WaitEnding, hidden: HiddenValues): WaitEnding {
  if (ending.kind !== 'child' || !ending.response) return ending;
  return { ...ending, response: revealedResponse(ending.response, (stored) => hidden.reveal(stored)) };
}

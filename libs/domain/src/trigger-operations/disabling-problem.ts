import type { LiveTrigger } from '../flows/trigger-registry';
import type { CatalogueTrigger, PieceCatalogue } from '../pieces/piece-catalogue';

export interface FailedDisabling {
  /** Why it failed, in one sentence. */
  message: string;
  /** Another trigger of the flow was enabled meanwhile. */
  isOvertaken: boolean;
  /** It is not tried any more. */
  isGivenUp: boolean;
}

/** A trigger as its piece describes it. Null when its piece is unknown. */
export function triggerOf(pieces: PieceCatalogue, { trigger }: LiveTrigger): CatalogueTrigger | null {
  if (trigger.type === 'EMPTY') return null;
  const { pieceName, pieceVersion, triggerName } = trigger.settings;
  return pieces.findTrigger(pieceName, pieceVersion, triggerName);
}

/**
 * What the author of a flow reads when its trigger could not be disabled: why, and what another service may do that
 * still knows the URL of the flow. A trigger that polls has left nothing there.
 */
export function disablingProblem(pieces: PieceCatalogue, live: LiveTrigger, failed: FailedDisabling): string {
  const { message, isOvertaken, isGivenUp } = failed;
  const { trigger } = live;
  const pieceName = trigger.type === 'PIECE_TRIGGER' ? trigger.settings.pieceName : '';
  const known = triggerOf(pieces, live);
  const name = isOvertaken
    ? `The trigger "${known?.displayName ?? trigger.displayName}" that the flow had before`
    : 'The trigger';
  const mayBeCalled = known === null || known.resultType === 'WEBHOOK';
  const sentences = [`${name} could not be disabled: ${message}`];
  if (isGivenUp) sentences.push('This is not tried any more.');
  if (mayBeCalled && (isOvertaken || isGivenUp)) {
    const effect = isOvertaken ? 'its events may start runs as well' : 'it may go on sending events';
    const until = isGivenUp ? ' until its webhook is removed there by hand' : '';
    sentences.push(`The service of ${pieceName} still has its webhook, so ${effect}${until}.`);
  }
  return joinSentences(sentences);
}

/** What the author of a flow reads that was disabled, because neither its new trigger nor its former one listens. */
export function disabledNow(problem: string, whyNotAgain: string): string {
  const why = 'The flow is disabled now, because its former trigger could not be enabled again either';
  return joinSentences([problem, `${why}: ${whyNotAgain}`]);
}

/** What another service has said often ends without a full stop. */
export const joinSentences = (sentences: readonly string[]): string =>
  sentences.map((sentence) => (/[.!?…]$/.test(sentence) ? sentence : `${sentence}.`)).join(' ');

/** What the author of a flow reads whose trigger may not listen any more, because of an earlier registration of it. */
export function notRegisteredAgain(pieces: PieceCatalogue, live: LiveTrigger): string {
  const { trigger } = live;
  const pieceName = trigger.type === 'PIECE_TRIGGER' ? trigger.settings.pieceName : '';
  const name = triggerOf(pieces, live)?.displayName ?? trigger.displayName;
  return (
    `An earlier webhook of the trigger "${name}" was removed at the service of ${pieceName}, but the trigger was not ` +
    'registered again. If its events do not arrive any more, disable and enable the flow.'
  );
}

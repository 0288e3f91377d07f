import type { Flow, PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import { orNull, shapeOf, type Member } from '../../json/request-shape';
import { changeFlow, unchanged } from './edit-draft';
import type { FlowOperationRule } from './flow-operation';

/** This is nearly two years. */
const MAX_MINUTES = 1_000_000;

const MINUTES: Member<number> = {
  read(reader, name) {
    reader.needs(name);
    const minutes = reader.number(name, 0);
    if (minutes < 0 || minutes > MAX_MINUTES) reader.wrong(name, `must be between 0 and ${MAX_MINUTES} minutes.`);
    return minutes;
  },
  schema: { type: 'number', minimum: 0, maximum: MAX_MINUTES },
};

type MinutesSaved = Pick<Flow, 'timeSavedPerRun'>;

/** Notes how many minutes of a person's work one run saves; null means that this is unknown. */
export const UPDATE_MINUTES_SAVED: FlowOperationRule<MinutesSaved> = {
  request: shapeOf({ timeSavedPerRun: orNull(MINUTES) }),
  apply: updateMinutesSaved,
};

function updateMinutesSaved(current: PopulatedFlow, { timeSavedPerRun }: MinutesSaved): FlowChange {
  return current.timeSavedPerRun === timeSavedPerRun ? unchanged(current) : changeFlow(current, { timeSavedPerRun });
}

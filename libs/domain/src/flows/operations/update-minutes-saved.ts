import type { PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import type { JsonReader } from '../../json/json-reader';
import { changeFlow, unchanged } from './edit-draft';
import type { FlowOperationRule } from './flow-operation';

/** This is nearly two years. */
const MAX_MINUTES = 1_000_000;

/** Notes how many minutes of a person's work one run saves; null means that this is unknown. */
export const UPDATE_MINUTES_SAVED: FlowOperationRule<number | null> = { parse, apply: updateMinutesSaved };

function parse(reader: JsonReader): number | null {
  reader.needs('timeSavedPerRun');
  if (reader.any('timeSavedPerRun') === null) return null;
  const minutes = reader.number('timeSavedPerRun', 0);
  if (minutes < 0 || minutes > MAX_MINUTES)
    reader.wrong('timeSavedPerRun', `must be between 0 and ${MAX_MINUTES} minutes.`);
  return minutes;
}

function updateMinutesSaved(current: PopulatedFlow, timeSavedPerRun: number | null): FlowChange {
  return current.timeSavedPerRun === timeSavedPerRun ? unchanged(current) : changeFlow(current, { timeSavedPerRun });
}

import type { JsonText } from '../json/json-text';

/** What a step was last given (`INPUT`) or gave (`OUTPUT`) while its flow was built. Belongs to the flow, not to a version. */
export type SampleDataType = 'INPUT' | 'OUTPUT';
export const SAMPLE_DATA_TYPES: readonly SampleDataType[] = ['INPUT', 'OUTPUT'];

/** Sample data that a test of the flow brings. */
export interface SampleDataEntry {
  stepName: string;
  type: SampleDataType;
  payload: JsonText;
}

/** What an operation does to the sample data of a flow. */
export type SampleDataChange =
  | { kind: 'save'; stepName: string; type: SampleDataType; payload: unknown }
  | { kind: 'forget'; stepNames: readonly string[] }
  | { kind: 'clear' };

/** Reads sample data as people see it. An operation writes it with the flow (FlowRepository.change). */
export abstract class SampleDataReader {
  /** Throws EntityNotFoundError when there is no such flow, or no sample data of this kind for the step. */
  abstract get(
    flowId: string,
    projectIds: readonly string[] | 'any',
    stepName: string,
    type: SampleDataType,
  ): Promise<unknown>;
}

/** What stands in for steps that a test does not run. */
export abstract class SampleOutputs {
  /** What each step of the flow last gave, by the step's name. Empty for an unknown flow. */
  abstract load(flowId: string): Promise<ReadonlyMap<string, JsonText>>;
}

/** Keeps what a test gave, beside the flow: its version stays as it is. */
export abstract class SampleDataWriter {
  /** Replaces what was kept for the same steps; of two entries for one the last counts. Does nothing for an unknown flow. */
  abstract save(flowId: string, entries: readonly SampleDataEntry[]): Promise<void>;
}

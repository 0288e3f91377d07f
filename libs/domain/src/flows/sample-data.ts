import type { JsonText } from '../json/json-text';
import type { RunPayload, StoredPayload } from '../journal/run-payload';

/**
 * Sample data is the last input or output of a step while its flow was built. It belongs to the flow, not to a version.
 */
export type SampleDataType = 'INPUT' | 'OUTPUT';
export const SAMPLE_DATA_TYPES: readonly SampleDataType[] = ['INPUT', 'OUTPUT'];

/** Sample data that a test of the flow produced. */
export interface SampleDataEntry {
  stepName: string;
  type: SampleDataType;
  payload: RunPayload | StoredPayload;
  /** The entry is an event of the flow's trigger, and is kept among its last events too. */
  isEvent?: boolean;
}

/** How an operation changes the sample data of a flow. */
export type SampleDataChange =
  | { kind: 'save'; stepName: string; type: SampleDataType; payload: unknown }
  | { kind: 'forget'; stepNames: readonly string[] }
  | { kind: 'clear' };

/** Sample data as it was stored. */
export interface SampleData {
  projectId: string;
  payload: unknown;
}

/** Sample data in a list. `text` is null when it is too large to be listed. */
export interface ListedSample {
  stepName: string;
  type: SampleDataType;
  savedAt: Date;
  text: JsonText | null;
}

/** Reads sample data for people. FlowRepository.change writes it together with the flow. */
export abstract class SampleDataReader {
  /**
   * The sample data of all steps of the flow, smallest first, up to about so many characters together. Throws
   * EntityNotFoundError when there is no such flow.
   */
  abstract list(
    flowId: string,
    projectIds: readonly string[] | 'any',
    mostCharacters: number,
  ): Promise<{ projectId: string; samples: ListedSample[] }>;
  /**
   * The last outputs of these steps, smallest first, up to about so many characters together. Those that are too large
   * for what is left are null. Steps without one are absent, and so are those of an unknown flow.
   */
  abstract outputsOf(
    flowId: string,
    stepNames: readonly string[],
    mostCharacters: number,
  ): Promise<ReadonlyMap<string, JsonText | null>>;
  /** Throws EntityNotFoundError when there is no such flow, or no sample data of this kind for the step. */
  abstract get(
    flowId: string,
    projectIds: readonly string[] | 'any',
    stepName: string,
    type: SampleDataType,
  ): Promise<SampleData>;
}

/** Reads the outputs that stand in for steps which a test does not execute. */
export abstract class SampleOutputs {
  /** The last output of each step of the flow, by the step's name. Empty for an unknown flow. */
  abstract load(flowId: string): Promise<ReadonlyMap<string, JsonText>>;
}

/** Stores the outputs of a test beside the flow, without changing its version. */
export abstract class SampleDataWriter {
  /**
   * Replaces the sample data of these steps. The last of two entries for a step counts. An unknown flow changes
   * nothing.
   */
  abstract save(flowId: string, entries: readonly SampleDataEntry[]): Promise<void>;
}

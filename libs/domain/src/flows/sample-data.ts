/** What a step was last given (`INPUT`) or gave (`OUTPUT`) while its flow was built. Belongs to the flow, not to a version. */
export type SampleDataType = 'INPUT' | 'OUTPUT';
export const SAMPLE_DATA_TYPES: readonly SampleDataType[] = ['INPUT', 'OUTPUT'];

/** What an operation does to the sample data of a flow. */
export type SampleDataChange =
  | { kind: 'save'; stepName: string; type: SampleDataType; payload: unknown }
  | { kind: 'forget'; stepNames: readonly string[] }
  | { kind: 'clear' };

/** Reads sample data; it is written with the operation that brings it (FlowRepository.change). */
export abstract class SampleDataReader {
  /** Throws EntityNotFoundError when there is no such flow, or no sample data of this kind for the step. */
  abstract get(
    flowId: string,
    projectIds: readonly string[] | 'any',
    stepName: string,
    type: SampleDataType,
  ): Promise<unknown>;
}

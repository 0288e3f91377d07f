import type { JsonText } from '../json/json-text';

/** An event as it is sent. */
export interface EventEnvelope {
  id: string;
  type: string;
  created: Date;
  projectId: string;
  data: JsonText;
}

/** Returns the body that a destination gets. It is the same at every attempt. */
export function eventBody({ data, ...envelope }: EventEnvelope): JsonText {
  const { id, type, created, projectId } = envelope;
  return `${JSON.stringify({ id, type, created, projectId }).slice(0, -1)},"data":${data}}`;
}

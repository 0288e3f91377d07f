import { Status } from '../controls/status';
import type { Destination } from './destination-queries';
import { destinationWords as words } from './words';

/** Whether events are sent, and whether they arrive. */
export function DestinationStatus({ destination: { status, failingSince } }: { destination: Destination }) {
  if (status === 'DISABLED') return <Status tone="idle" word={words.disabled} />;
  if (failingSince !== null) return <Status tone="bad" word={words.failing} />;
  return <Status tone="good" word={words.enabled} />;
}

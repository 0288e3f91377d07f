import { Status } from '../controls/status';
import type { Connection } from './connection-queries';
import { words } from './words';

export const ConnectionStatus = ({ connection: { status } }: { connection: Pick<Connection, 'status'> }) =>
  status === 'ACTIVE' ? <Status tone="good" word={words.active} /> : <Status tone="bad" word={words.error} />;

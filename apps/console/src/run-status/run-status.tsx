import { Status } from '../controls/status';
import { STATUS_TONES, STATUS_WORDS, type RunStatus as Value } from './run-words';

export const RunStatus = ({ status }: { status: Value }) => (
  <Status tone={STATUS_TONES[status]} word={STATUS_WORDS[status]} />
);

import { useSearchParams } from 'react-router';
import type { Schemas } from '../api/client';
import { RUN_STATUSES, STATUS_TONES, STATUS_WORDS, type RunStatus } from '../run-status/run-words';
import { Status } from '../controls/status';
import { withFilter } from './run-filters';
import styles from './runs-page.module.css';
import { words } from './words';

const ALWAYS_SHOWN: readonly RunStatus[] = ['SUCCEEDED', 'FAILED', 'RUNNING', 'PAUSED'];

interface StatusCountsProps {
  counts?: Schemas['RunCounts'];
  chosen: readonly RunStatus[];
}

/** How many runs have each status. Choosing some shows only those. */
export function StatusCounts({ counts, chosen }: StatusCountsProps) {
  const [, setSearch] = useSearchParams();
  const toggle = (status: RunStatus) => {
    const others = chosen.filter((each) => each !== status);
    const after = others.length < chosen.length ? others : [...chosen, status];
    setSearch((before) => withFilter(before, 'status', after));
  };
  const shown = RUN_STATUSES.filter(
    (status) => ALWAYS_SHOWN.includes(status) || chosen.includes(status) || (counts?.[status] ?? 0) > 0,
  );
  return (
    <div role="group" aria-label={words.status} className={styles['counts']}>
      {shown.map((status) => (
        <button
          key={status}
          type="button"
          className={styles['count']}
          aria-pressed={chosen.includes(status)}
          onClick={() => toggle(status)}
        >
          <Status
            tone={STATUS_TONES[status]}
            word={counts ? words.countOf(STATUS_WORDS[status], counts[status]) : STATUS_WORDS[status]}
          />
        </button>
      ))}
    </div>
  );
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { Problem } from '../controls/problem';
import { actOnRuns, bulkPlanQuery, type Strategy } from './bulk-queries';
import type { BulkAction, Selection } from './bulk-selection';
import styles from './runs-page.module.css';
import { bulkWords, words } from './words';

interface BulkDialogProps {
  projectId: string;
  action: BulkAction;
  selection: Selection;
  onClose: () => void;
}

/** Says how many runs an action would change before it does. */
export function BulkDialog({ projectId, action, selection, onClose }: BulkDialogProps) {
  const [strategy, setStrategy] = useState<Strategy>('FROM_FAILED_STEP');
  const queryClient = useQueryClient();
  const call = { projectId, action, selection, strategy };
  const plan = useQuery(bulkPlanQuery(call));
  const act = useMutation({
    mutationFn: () => actOnRuns(call),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['runs', projectId] }),
  });
  const text = bulkWords[action];
  return (
    <Dialog title={text.title} isOpen onClose={onClose}>
      {act.data === undefined && action === 'retry' && <StrategyChoice strategy={strategy} onChoose={setStrategy} />}
      {act.data === undefined ? (
        <p role="status">{plan.data === undefined ? words.counting : text.plan(plan.data)}</p>
      ) : (
        <p role="status">{text.done(act.data)}</p>
      )}
      {plan.error && <Problem error={plan.error} onTryAgain={() => void plan.refetch()} />}
      {act.error && <Problem error={act.error} />}
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        {act.data === undefined && (
          <Button isMain disabled={!plan.data || act.isPending} onClick={() => act.mutate()}>
            {plan.data === undefined ? text.title : text.act(plan.data)}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

const STRATEGIES: readonly Strategy[] = ['FROM_FAILED_STEP', 'ON_LATEST_VERSION'];

const StrategyChoice = ({ strategy, onChoose }: { strategy: Strategy; onChoose: (strategy: Strategy) => void }) => (
  <div role="radiogroup" aria-label={words.strategy} className={styles['strategies']}>
    {STRATEGIES.map((each) => (
      <label key={each} className={styles['tick']}>
        <input type="radio" name="strategy" checked={each === strategy} onChange={() => onChoose(each)} />
        {words.strategies[each]}
      </label>
    ))}
  </div>
);

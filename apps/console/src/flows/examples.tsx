import { useMutation } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { Button } from '../controls/button';
import { Problem } from '../controls/problem';
import { words } from './dialog-words';
import { EXAMPLES, type Example } from './example-flows';
import { importFlow, publishFlow, startRun } from './flow-changes';
import styles from './flow-dialogs.module.css';

/** Flows to begin with. One click makes one, publishes it and runs it, and the run is shown. */
export function Examples({ projectId }: { projectId: string }) {
  const navigate = useNavigate();
  const trial = useMutation({
    mutationFn: async ({ source, payload }: Example) => {
      const { flowId } = await importFlow(source, { projectId, folderId: null });
      await publishFlow(flowId);
      await navigate(`/runs/${await startRun(flowId, payload)}`);
    },
  });
  return (
    <section aria-labelledby="examples" className={styles['panel']}>
      <h2 id="examples">{words.examples}</h2>
      <p>{words.examplesSay}</p>
      {trial.error && <Problem error={trial.error} />}
      <div className={styles['examples']}>
        {EXAMPLES.map((example) => (
          <article key={example.id} aria-labelledby={`example-${example.id}`} className={styles['example']}>
            <h3 id={`example-${example.id}`}>{example.name}</h3>
            <p>{example.says}</p>
            <Button disabled={trial.isPending} onClick={() => trial.mutate(example)}>
              {trial.isPending && trial.variables.id === example.id ? words.making : words.tryIt(example.name)}
            </Button>
          </article>
        ))}
      </div>
    </section>
  );
}

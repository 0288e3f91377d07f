import { useQuery } from '@tanstack/react-query';
import { useParams, useSearchParams } from 'react-router';
import { Problem } from '../controls/problem';
import { Canvas } from '../flow-picture/canvas';
import { Outline } from '../flow-picture/outline';
import { stepsOf, type Step } from '../flow-picture/step';
import { titleOf } from '../shell/words';
import { EditorHead } from './editor-head';
import styles from './flow-editor.module.css';
import { flowQuery, type Flow } from './flow-requests';
import { StepPanel } from './step-panel';
import { words } from './words';

/** The editor of a flow. The selected step is in the address. */
export function FlowEditorPage() {
  const { id = '' } = useParams();
  const { data, error, refetch } = useQuery(flowQuery(id));
  return (
    <main id="content" tabIndex={-1} aria-label={words.editor} className={styles['page']}>
      <title>{titleOf(data?.flow.version.displayName ?? words.editor)}</title>
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      {!data && !error && <p role="status">{words.loading}</p>}
      {data && <Editor key={id} flow={data.flow} />}
    </main>
  );
}

function Editor({ flow }: { flow: Flow }) {
  const [search, setSearch] = useSearchParams();
  const trigger = flow.version.trigger as Step;
  const selected = search.get('step');
  const step = [...stepsOf(trigger)].find(({ name }) => name === selected);
  const select = (name: string | null) => setSearch(name === null ? {} : { step: name });
  return (
    <>
      <EditorHead flow={flow} />
      <div className={styles['body']}>
        <div className={styles['outline']}>
          <Outline trigger={trigger} selected={selected} onSelect={select} />
        </div>
        <Canvas trigger={trigger} selected={selected} onSelect={select} />
        {step && <StepPanel key={step.name} step={step} onClose={() => select(null)} />}
      </div>
    </>
  );
}

import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../controls/button';
import { Problem } from '../controls/problem';
import { exactTime } from '../controls/time-words';
import { Banner } from './banner';
import { BothChanges } from './both-changes';
import { copyOfFlow } from './copy-flow';
import type { Draft, Trouble } from './draft';
import type { DraftStore } from './draft-store';
import styles from './flow-editor.module.css';
import { operationWords } from './operation-words';
import { words } from './panel-words';

interface TroubleChoicesProps {
  draft: Draft;
  store: DraftStore;
  trouble: Exclude<Trouble, { kind: 'away' }>;
}

/** Says why the service does not take changes, and what can be done. */
export function TroubleChoices({ draft, store, trouble }: TroubleChoicesProps) {
  const [failure, setFailure] = useState<unknown>(null);
  const navigate = useNavigate();
  const attempt = (action: () => Promise<void>) => () => {
    setFailure(null);
    action().catch(setFailure);
  };
  const makeCopy = attempt(async () => {
    const { id } = await copyOfFlow(draft.saved.flow, draft.shown);
    // What waits is in the copy now, and must not become a change of this flow as well. One that is gone cannot be read.
    await store.giveUp().catch(() => undefined);
    await navigate(`/flows/${id}`);
  });
  const giveUp = <Button onClick={attempt(store.giveUp)}>{words.giveUp}</Button>;
  const copy = <Button onClick={makeCopy}>{words.makeCopy}</Button>;
  const problem = failure !== null && <Problem error={failure} />;
  switch (trouble.kind) {
    case 'in-use':
      return (
        <Banner
          title={trouble.by === null ? words.inUse : words.inUseBy(trouble.by)}
          lines={[...(trouble.by === null ? [trouble.message] : []), inUseWords(trouble.until)]}
        >
          <Button onClick={store.tryAgain}>{words.tryNow}</Button>
          {copy}
          {giveUp}
          {problem}
        </Banner>
      );
    case 'changed':
      return (
        <Banner title={words.changed} lines={[words.changedChoice(draft.queue.length)]}>
          <BothChanges draft={draft} trouble={trouble} />
          <Button isMain onClick={attempt(store.putOnTop)}>
            {words.putOnTop}
          </Button>
          {giveUp}
          {copy}
          {problem}
        </Banner>
      );
    case 'stopped':
      return (
        <Banner title={words.stopped} lines={[words.stoppedSays(draft.queue.length)]}>
          <Problem error={trouble.error} />
          <Button onClick={store.tryAgain}>{words.tryNow}</Button>
          {copy}
          {problem}
        </Banner>
      );
    case 'refused':
      return (
        <Banner title={words.refused} lines={[words.refusedSays]}>
          {trouble.refusals.map(({ operation, error }, index) => (
            <div key={index} className={styles['refusal']}>
              <b>{operationWords(draft.shown, operation)}</b>
              <Problem error={error} />
            </div>
          ))}
          <Button onClick={() => store.dispatch({ kind: 'dismiss' })}>{words.understood}</Button>
        </Banner>
      );
  }
}

const inUseWords = (until: string | null): string =>
  until === null ? words.inUseWait : words.inUseUntil(exactTime(until));

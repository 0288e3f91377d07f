import { useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../controls/button';
import { ExactText } from '../controls/exact-text';
import { lazyPart } from '../controls/lazy-part';
import { Problem } from '../controls/problem';
import { exactTime } from '../controls/time-words';
import type { Draft } from './draft';
import type { DraftStore } from './draft-store';
import styles from './flow-editor.module.css';
import { copyOfFlow } from './flow-requests';
import { operationWords } from './operation-words';
import { words } from './words';

const BothChanges = lazyPart(async () => (await import('./both-changes')).BothChanges, {
  waiting: <p>{words.comparing}</p>,
});

interface TroubleBannerProps {
  draft: Draft;
  store: DraftStore;
}

/** Says why changes are not saved, and what can be done. */
export function TroubleBanner({ draft, store }: TroubleBannerProps) {
  const [failure, setFailure] = useState<unknown>(null);
  const navigate = useNavigate();
  const attempt = (action: () => Promise<void>) => () => {
    setFailure(null);
    action().catch(setFailure);
  };
  const { trouble } = draft;
  if (!trouble) return null;
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
    case 'away':
      return (
        <Banner title={trouble.message} lines={[words.away]}>
          <Button onClick={store.tryAgain}>{words.tryNow}</Button>
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

interface BannerProps {
  title: string;
  lines: readonly string[];
  children: ReactNode;
}

const Banner = ({ title, lines, children }: BannerProps) => (
  <div role="alert" className={styles['banner']}>
    <b>
      <ExactText text={title} />
    </b>
    {lines.map((line) => (
      <p key={line}>{line}</p>
    ))}
    <div className={styles['bannerActions']}>{children}</div>
  </div>
);

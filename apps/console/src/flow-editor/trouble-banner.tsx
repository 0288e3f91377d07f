import { useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../controls/button';
import { Problem } from '../controls/problem';
import { exactTime } from '../controls/time-words';
import { definitionOf } from './definition';
import { differenceWords } from './difference-words';
import { madeOf, type Draft, type Trouble } from './draft';
import type { DraftStore } from './draft-store';
import styles from './flow-editor.module.css';
import { copyOfFlow } from './flow-requests';
import { operationWords } from './operation-words';
import { words } from './words';

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
    await navigate(`/flows/${id}`);
  });
  const giveUp = <Button onClick={attempt(store.giveUp)}>{words.giveUp}</Button>;
  const copy = <Button onClick={makeCopy}>{words.makeCopy}</Button>;
  const problem = failure !== null && <Problem error={failure} />;
  switch (trouble.kind) {
    case 'in-use':
      return (
        <Banner title={words.inUse} lines={[trouble.message, inUseWords(trouble.until)]}>
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

/** What the others made of the flow, beside what was made here. */
function BothChanges({ draft, trouble }: { draft: Draft; trouble: Extract<Trouble, { kind: 'changed' }> }) {
  const { base, theirs } = trouble;
  const mine = base
    ? differenceWords(base, madeOf(base, draft))
    : draft.queue.map(({ operation }) => operationWords(draft.shown, operation));
  return (
    <div className={styles['bothChanges']}>
      <Changes title={words.theirChanges} lines={base ? differenceWords(base, definitionOf(theirs)) : null} />
      <Changes title={words.myChanges} lines={mine} />
    </div>
  );
}

interface ChangesProps {
  title: string;
  /** Null when they are not known. */
  lines: readonly string[] | null;
}

function Changes({ title, lines }: ChangesProps) {
  const shownLines = lines === null ? [words.changesUnknown] : lines.length === 0 ? [words.noChanges] : lines;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {shownLines.map((line, index) => (
          <li key={index}>{line}</li>
        ))}
      </ul>
    </section>
  );
}

interface BannerProps {
  title: string;
  lines: readonly string[];
  children: ReactNode;
}

const Banner = ({ title, lines, children }: BannerProps) => (
  <div role="alert" className={styles['banner']}>
    <b>{title}</b>
    {lines.map((line) => (
      <p key={line}>{line}</p>
    ))}
    <div className={styles['bannerActions']}>{children}</div>
  </div>
);

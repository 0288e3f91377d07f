import { useState, type ReactNode } from 'react';
import { Button } from '../controls/button';
import { Problem } from '../controls/problem';
import { exactTime } from '../controls/time-words';
import type { Draft } from './draft';
import type { DraftStore } from './draft-store';
import styles from './flow-editor.module.css';
import { words } from './words';

interface TroubleBannerProps {
  draft: Draft;
  store: DraftStore;
}

/** Says why changes are not saved, and what can be done. */
export function TroubleBanner({ draft: { trouble, queue }, store }: TroubleBannerProps) {
  const [failure, setFailure] = useState<unknown>(null);
  const attempt = (action: () => Promise<void>) => () => {
    setFailure(null);
    action().catch(setFailure);
  };
  if (!trouble) return null;
  const choice = (name: string) => (
    <>
      <Button isMain onClick={attempt(store.putOnTop)}>
        {name}
      </Button>
      <Button onClick={attempt(store.giveUp)}>{words.giveUp}</Button>
      {failure !== null && <Problem error={failure} />}
    </>
  );
  switch (trouble.kind) {
    case 'in-use':
      return (
        <Banner title={words.inUse} lines={[trouble.message, inUseWords(trouble.until)]}>
          <Button onClick={store.tryAgain}>{words.tryNow}</Button>
          <Button onClick={attempt(store.giveUp)}>{words.giveUp}</Button>
        </Banner>
      );
    case 'changed':
      return (
        <Banner title={words.changed} lines={[words.changedChoice(queue.length)]}>
          {choice(words.putOnTop)}
        </Banner>
      );
    case 'left':
      return (
        <Banner title={words.left} lines={[words.leftChoice(queue.length)]}>
          {choice(words.saveNow)}
        </Banner>
      );
    case 'away':
      return (
        <Banner title={trouble.message} lines={[words.away]}>
          <Button onClick={store.tryAgain}>{words.tryNow}</Button>
        </Banner>
      );
    case 'refused':
      return (
        <div className={styles['banner']}>
          <p>{words.refused}</p>
          <Problem error={trouble.error} />
          <div>
            <Button onClick={() => store.dispatch({ kind: 'dismiss' })}>{words.understood}</Button>
          </div>
        </div>
      );
  }
}

const inUseWords = (until: string | null): string =>
  until === null ? words.inUseWait : words.inUseUntil(exactTime(until));

const Banner = ({ title, lines, children }: { title: string; lines: string[]; children: ReactNode }) => (
  <div role="alert" className={styles['banner']}>
    <b>{title}</b>
    {lines.map((line) => (
      <p key={line}>{line}</p>
    ))}
    <div className={styles['bannerActions']}>{children}</div>
  </div>
);

import { useEffect, useRef } from 'react';
import { ChoiceField } from '../controls/field';
import { VersionDifferences } from '../version-diff/version-differences';
import type { Flow, Version } from './version-queries';
import { titleOf } from './version-state';
import styles from './versions-page.module.css';
import { words } from './words';

interface ComparisonProps {
  flow: Flow;
  /** Those of the page. */
  versions: readonly Version[];
  /** The ids of the compared versions; `from` is null when there is none before. */
  from: string | null;
  to: string;
  onChoose: (chosen: Partial<Record<'from' | 'to', string>>) => void;
}

/** What differs between two versions of the flow. */
export function Comparison({ flow, versions, from, to, onChoose }: ComparisonProps) {
  const section = useInView(to);
  const choices = versions.map((version) => ({ value: version.id, label: titleOf(version, flow) }));
  const withChosen = (id: string) =>
    choices.some(({ value }) => value === id) ? choices : [...choices, { value: id, label: id }];
  return (
    <section ref={section} aria-label={words.compare} className={styles['comparison']}>
      <h2>{words.compare}</h2>
      {from === null ? (
        <p>{words.first}</p>
      ) : (
        <>
          <div className={styles['compared']}>
            <ChoiceField
              label={words.from}
              value={from}
              choices={withChosen(from)}
              onChoose={(id) => onChoose({ from: id, to })}
            />
            <ChoiceField
              label={words.to}
              value={to}
              choices={withChosen(to)}
              onChoose={(id) => onChoose({ from, to: id })}
            />
          </div>
          <VersionDifferences key={`${from} ${to}`} flowId={flow.id} from={from} to={to} />
        </>
      )}
    </section>
  );
}

/** Scrolls to the section when another version is chosen and the section is out of view, as on a phone. */
function useInView(chosen: string) {
  const section = useRef<HTMLElement>(null);
  const before = useRef(chosen);
  useEffect(() => {
    if (before.current !== chosen) section.current?.scrollIntoView({ block: 'nearest' });
    before.current = chosen;
  }, [chosen]);
  return section;
}

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ExactText } from '../controls/exact-text';
import { Problem } from '../controls/problem';
import { ChangedValue } from '../value-diff/changed-value';
import { branchIn, formerStep, isSame, nameIn, partsOf, valueAt, type Place, type Steps } from './differences';
import styles from './version-diff.module.css';
import { versionDiffQuery, type Compared, type ComparedVersions } from './version-diff-queries';
import { words } from './words';

/** What differs between two versions of a flow: its steps, where they stand, and their settings. */
export function VersionDifferences(versions: ComparedVersions) {
  const { data, error, refetch } = useQuery(versionDiffQuery(versions));
  if (data) return <Differences {...data} />;
  if (error) return <Problem error={error} onTryAgain={() => void refetch()} />;
  return <p role="status">{words.comparing}</p>;
}

export function Differences({ diff, before, after }: Compared) {
  if (isSame(diff)) return <p role="status">{words.same}</p>;
  const { added, removed, moved, changed } = diff.steps;
  return (
    <div className={styles['differences']}>
      {diff.displayName && (
        <Group name={words.renamed}>
          <li>
            <ChangedValue before={diff.displayName.from} after={diff.displayName.to} />
          </li>
        </Group>
      )}
      <Group name={words.added}>
        {added.map(({ name, displayName, location }) => (
          <StepLine key={name} name={displayName} place={placeWords(after, location)} />
        ))}
      </Group>
      <Group name={words.removed}>
        {removed.map(({ name, displayName, location }) => (
          <StepLine key={name} name={displayName} place={placeWords(before, location)} />
        ))}
      </Group>
      <Group name={words.moved}>
        {moved.map(({ name, from, to }) => (
          <StepLine
            key={name}
            name={nameIn(after, name)}
            place={words.movedTo(placeWords(before, from), placeWords(after, to))}
          />
        ))}
      </Group>
      <Group name={words.changed}>
        {changed.map(({ name, displayName, paths }) => (
          <StepLine key={name} name={displayName}>
            <ChangedPaths {...{ name, paths, before, after }} />
          </StepLine>
        ))}
      </Group>
      {(['added', 'removed', 'changed'] as const).map(
        (kind) => diff.notes[kind].length > 0 && <p key={kind}>{words.notes(kind, diff.notes[kind].length)}</p>,
      )}
    </div>
  );
}

/** Nothing when there is none of the kind. */
const Group = ({ name, children }: { name: string; children: ReactNode }) =>
  Array.isArray(children) && children.length === 0 ? null : (
    <section aria-label={name}>
      <h3 className={styles['kind']}>{name}</h3>
      <ul className={styles['steps']}>{children}</ul>
    </section>
  );

interface StepLineProps {
  name: string;
  place?: string;
  children?: ReactNode;
}

const StepLine = ({ name, place, children }: StepLineProps) => (
  <li>
    <span className={styles['step']}>
      <ExactText text={name} />
    </span>{' '}
    {place !== undefined && (
      <span className={styles['place']}>
        <ExactText text={place} />
      </span>
    )}
    {children}
  </li>
);

interface ChangedPathsProps {
  name: string;
  paths: readonly string[];
  before: Steps;
  after: Steps;
}

const ChangedPaths = ({ name, paths, before, after }: ChangedPathsProps) => (
  <ul className={styles['paths']}>
    {paths.map((path) => (
      <li key={path}>
        <code className={styles['path']}>
          <ExactText text={partsOf(path).join(' › ')} />
        </code>
        <ChangedValue before={valueAt(formerStep(before, after, name), path)} after={valueAt(after.get(name), path)} />
      </li>
    ))}
  </ul>
);

function placeWords(steps: Steps, place: Place): string {
  const parent = nameIn(steps, place.parentStep);
  if (place.position === 'INSIDE_LOOP') return words.placeInLoop(parent);
  const branch = branchIn(steps, place);
  return branch === undefined ? words.placeAfter(parent) : words.placeInBranch(branch, parent);
}

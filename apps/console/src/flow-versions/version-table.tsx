import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { Button } from '../controls/button';
import { ExactText } from '../controls/exact-text';
import { Moment } from '../controls/moment';
import { Status } from '../controls/status';
import { Table } from '../controls/table';
import { exactTime } from '../controls/time-words';
import { RestoreDialog } from './restore-dialog';
import { stateOf } from './version-state';
import type { FlowAsRead, Version } from './version-queries';
import styles from './versions-page.module.css';
import { words } from './words';

interface VersionTableProps {
  read: FlowAsRead;
  versions: readonly Version[];
  /** The id of the version whose changes are shown. */
  shown: string;
}

export function VersionTable({ read, versions, shown }: VersionTableProps) {
  const [restored, setRestored] = useState<Version | null>(null);
  const [search] = useSearchParams();
  const latest = read.flow.version.id;
  return (
    <>
      <Table name={words.versions} columns={[words.version, words.state, words.by, words.why, words.actions]}>
        {versions.map((version, index) => (
          <tr key={version.id} className={styles[version.id === shown ? 'chosen' : '']}>
            <td>
              <Link
                to={{ search: comparing(search, version.id, versions[index + 1]?.id) }}
                aria-current={version.id === shown || undefined}
              >
                {exactTime(version.updated)}
              </Link>{' '}
              <span className={styles['quiet']}>
                <Moment at={version.updated} />
              </span>
            </td>
            <td>
              <Status {...stateOf(version, read.flow)} />
            </td>
            <td>
              <ExactText text={version.updatedByName ?? words.editor(version.updatedBy)} />
            </td>
            <td>
              <PublishNote version={version} />
            </td>
            <td>{version.id !== latest && <Button onClick={() => setRestored(version)}>{words.useAsDraft}</Button>}</td>
          </tr>
        ))}
      </Table>
      {restored && <RestoreDialog flowId={read.flow.id} version={restored} onClose={() => setRestored(null)} />}
    </>
  );
}

/** The address that shows what a version changed. */
function comparing(search: URLSearchParams, to: string, from: string | undefined): string {
  const after = new URLSearchParams(search);
  after.set('to', to);
  if (from === undefined) after.delete('from');
  else after.set('from', from);
  return after.toString();
}

/** What the person who published the version said, and who and when that was. Nothing of one that never ran. */
function PublishNote({ version: { publishNote, publishedAt, publishedByName } }: { version: Version }) {
  if (publishedAt === null) return null;
  return (
    <>
      {publishNote !== null && <ExactText text={publishNote} />}
      <div className={styles['quiet']}>
        {words.publishedBy(publishedByName)} <Moment at={publishedAt} />
      </div>
    </>
  );
}

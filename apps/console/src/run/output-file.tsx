import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api/client';
import { Button } from '../controls/button';
import { Problem } from '../controls/problem';
import { JsonView } from '../json-view/json-view';
import styles from './run-page.module.css';
import { fileAddress, outputFileQuery } from './run-queries';
import { words } from './words';

/** A larger output is only offered as a download: the page would have to hold it several times. */
const MOST_SHOWN_BYTES = 25_000_000;

/** An output that is kept as a file. It is loaded when somebody asks for it. */
export function OutputFile({ file }: { file: Schemas['OutputFile'] }) {
  const { id, bytes, url } = file;
  const [isWanted, setWanted] = useState(false);
  const { data, error, refetch } = useQuery({ ...outputFileQuery(file), enabled: isWanted });
  if (data !== undefined) return <JsonView name={words.output} value={data} />;
  const isShowable = bytes <= MOST_SHOWN_BYTES;
  return (
    <div className={styles['file']}>
      <p>
        {words.outputInFile(bytes)} {!isShowable && words.outputTooLarge}
      </p>
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      {isWanted && !error && <p role="status">{words.loadingOutput}</p>}
      <div className={styles['buttons']}>
        {isShowable && !isWanted && <Button onClick={() => setWanted(true)}>{words.loadOutput(bytes)}</Button>}
        <a href={fileAddress(url)} download={`${id}.json`}>
          {words.download}
        </a>
      </div>
    </div>
  );
}

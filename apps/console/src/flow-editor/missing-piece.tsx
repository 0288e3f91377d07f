import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { Button } from '../controls/button';
import styles from './flow-editor.module.css';
import { words } from './panel-words';
import { checkQuery } from './publish-requests';

interface MissingPieceProps {
  flowId: string;
  stepName: string;
  /** Looks whether the piece is there now. */
  onLookAgain: () => void;
}

/** Says why the piece of a step is not there. The check of the flow knows; it also tries to install the piece again. */
export function MissingPiece({ flowId, stepName, onLookAgain }: MissingPieceProps) {
  const { data, dataUpdatedAt, isFetching, refetch } = useQuery(checkQuery(flowId));
  const problems = data?.problems.filter((problem) => problem.stepName === stepName) ?? [];
  const lookAgain = useEffectEvent(onLookAgain);
  useEffect(() => {
    if (dataUpdatedAt > 0) lookAgain();
  }, [dataUpdatedAt]);
  return (
    <>
      <p>{words.unknownPiece}</p>
      {problems.map(({ message }) => (
        <p key={message} role="alert" className={styles['failure']}>
          {message}
        </p>
      ))}
      <div>
        <Button disabled={isFetching} onClick={() => void refetch()}>
          {isFetching ? words.checkingPiece : words.tryAgain}
        </Button>
      </div>
    </>
  );
}

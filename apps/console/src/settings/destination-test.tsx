import { useMutation } from '@tanstack/react-query';
import { Button } from '../controls/button';
import { Problem } from '../controls/problem';
import { Status } from '../controls/status';
import { testDestination } from './destination-queries';
import { destinationWords as words } from './words';

/** Sends a test event, and says how that went. */
export function DestinationTest({ id }: { id: string }) {
  const { data, error, isPending, mutate } = useMutation({ mutationFn: () => testDestination(id) });
  return (
    <div>
      <Button disabled={isPending} onClick={() => mutate()}>
        {isPending ? words.testing : words.test}
      </Button>
      <div role="status">
        {data && (
          <p>
            <Status tone={data.delivered ? 'good' : 'bad'} word={data.delivered ? words.arrived : words.notArrived} />{' '}
            {data.error ?? (data.status !== null && words.answered(data.status))}
          </p>
        )}
      </div>
      {error && <Problem error={error} />}
    </div>
  );
}

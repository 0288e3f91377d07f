import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from '../controls/button';
import { Moment } from '../controls/moment';
import { Problem } from '../controls/problem';
import { Status, type Tone } from '../controls/status';
import { Table } from '../controls/table';
import { PagedList, useCursor } from '../shell/paged-list';
import { deliveriesQuery, redeliver, type Delivery } from './destination-queries';
import styles from './settings.module.css';
import { destinationWords as words } from './words';

const TONES: Record<Delivery['status'], Tone> = { PENDING: 'waits', DELIVERED: 'good', FAILED: 'bad' };

/** What was sent to a destination, and what came of it. */
export function Deliveries({ id }: { id: string }) {
  const [cursor] = useCursor();
  const deliveries = useQuery(deliveriesQuery(id, cursor));
  const again = useMutation({ mutationFn: (deliveryId: string) => redeliver(id, deliveryId) });
  return (
    <section className={styles['wide']} aria-labelledby="deliveries">
      <h2 id="deliveries">{words.deliveries}</h2>
      {again.error && <Problem error={again.error} />}
      <p role="status">{again.isSuccess && words.redelivered}</p>
      <PagedList query={deliveries} none={words.noDeliveries}>
        {(all) => (
          <Table name={words.deliveries} columns={COLUMNS}>
            {all.map((delivery) => (
              <DeliveryRow
                key={delivery.id}
                delivery={delivery}
                isBusy={again.isPending}
                onRedeliver={() => again.mutate(delivery.id)}
              />
            ))}
          </Table>
        )}
      </PagedList>
    </section>
  );
}

const COLUMNS = [
  words.status,
  words.event,
  words.happened,
  words.attempts,
  words.lastAnswer,
  words.nextAttempt,
  words.actions,
];

interface DeliveryRowProps {
  delivery: Delivery;
  isBusy: boolean;
  onRedeliver: () => void;
}

const DeliveryRow = ({ delivery, isBusy, onRedeliver }: DeliveryRowProps) => (
  <tr>
    <td>
      <Status tone={TONES[delivery.status]} word={words.statuses[delivery.status]} />
    </td>
    <td>{delivery.type}</td>
    <td>
      <Moment at={delivery.created} />
    </td>
    <td>{delivery.attempts}</td>
    <td>{delivery.error ?? delivery.responseStatus ?? words.nothing}</td>
    <td>{delivery.nextAttempt === null ? words.nothing : <Moment at={delivery.nextAttempt} />}</td>
    <td>
      <Button disabled={isBusy} onClick={onRedeliver}>
        {words.redeliver}
      </Button>
    </td>
  </tr>
);

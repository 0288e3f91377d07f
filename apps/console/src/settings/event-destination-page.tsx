import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { Button } from '../controls/button';
import { ConfirmDialog } from '../controls/confirm-dialog';
import { Facts } from '../controls/facts';
import { Moment } from '../controls/moment';
import { DetailPage } from '../shell/detail-page';
import { inProject } from '../shell/project';
import { Deliveries } from './deliveries';
import { DestinationDialog } from './destination-dialog';
import { changeDestination, deleteDestination, destinationQuery, type Destination } from './destination-queries';
import { DestinationStatus } from './destination-status';
import { DestinationTest } from './destination-test';
import { destinationWords as words } from './words';

/** One event destination: whether events arrive there, and each delivery. */
export function EventDestinationPage() {
  const { id = '' } = useParams();
  const destination = useQuery(destinationQuery(id));
  return (
    <DetailPage
      name={destination.data?.url ?? words.destination}
      query={destination}
      actions={(loaded) => <Actions destination={loaded} />}
    >
      {(loaded) => <Details key={id} destination={loaded} />}
    </DetailPage>
  );
}

const Details = ({ destination }: { destination: Destination }) => (
  <>
    {destination.statusReason !== null && <p>{destination.statusReason}</p>}
    <Facts
      facts={[
        { name: words.status, value: <DestinationStatus destination={destination} /> },
        { name: words.statusSince, value: <Moment at={destination.statusSince} /> },
        {
          name: words.failingSince,
          value: destination.failingSince === null ? words.never : <Moment at={destination.failingSince} />,
        },
        { name: words.events, value: destination.events.join(', ') },
      ]}
    />
    <DestinationTest id={destination.id} />
    <Deliveries id={destination.id} />
    <p>
      <Link to={inProject('/settings/event-destinations', destination.projectId)}>{words.back}</Link>
    </p>
  </>
);

type Step = 'change' | 'disable' | 'delete' | null;

function Actions({ destination }: { destination: Destination }) {
  const { id, url, events, status } = destination;
  const [step, setStep] = useState<Step>(null);
  const close = () => setStep(null);
  const isEnabled = status === 'ENABLED';
  const change = async (fields: Parameters<typeof changeDestination>[1]) => {
    await changeDestination(id, fields);
    close();
  };
  return (
    <>
      <Button onClick={() => setStep('change')}>{words.change}</Button>
      <Button onClick={() => setStep('disable')}>{isEnabled ? words.disable : words.enable}</Button>
      <Button onClick={() => setStep('delete')}>{words.delete}</Button>
      {step === 'change' && (
        <DestinationDialog
          title={words.changeTitle}
          verb={words.changeNow}
          before={{ url, events }}
          onSubmit={change}
          onClose={close}
        />
      )}
      {step === 'disable' && (
        <ConfirmDialog
          title={isEnabled ? words.disableTitle : words.enableTitle}
          verb={isEnabled ? words.disableNow : words.enableNow}
          onConfirm={() => changeDestination(id, { status: isEnabled ? 'DISABLED' : 'ENABLED' })}
          onClose={close}
        >
          <p>{isEnabled ? words.disableSays : words.enableSays}</p>
        </ConfirmDialog>
      )}
      {step === 'delete' && <DeleteDialog destination={destination} onClose={close} />}
    </>
  );
}

function DeleteDialog({ destination: { id, projectId }, onClose }: { destination: Destination; onClose: () => void }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = async () => {
    await deleteDestination(id);
    await navigate(inProject('/settings/event-destinations', projectId));
    queries.removeQueries({ queryKey: destinationQuery(id).queryKey });
  };
  return (
    <ConfirmDialog title={words.deleteTitle} verb={words.deleteNow} onConfirm={remove} onClose={onClose}>
      <p>{words.deleteSays}</p>
    </ConfirmDialog>
  );
}

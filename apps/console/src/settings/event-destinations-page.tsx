import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { Button } from '../controls/button';
import { Moment } from '../controls/moment';
import { ShownOnceDialog } from '../controls/shown-once-dialog';
import { Table } from '../controls/table';
import { PagedList, useCursor } from '../shell/paged-list';
import { inProject, useProject } from '../shell/project';
import { DestinationDialog, type DestinationFields } from './destination-dialog';
import { createDestination, destinationsQuery, type Destination } from './destination-queries';
import { DestinationStatus } from './destination-status';
import { USUAL_EVENTS } from './event-kinds';
import { PLACES, SettingsPage } from './settings-page';
import { destinationWords as words } from './words';

/** The addresses outside to which the events of the project are sent. */
export function EventDestinationsPage() {
  const { projectId, may } = useProject();
  const [cursor] = useCursor();
  const [isMaking, setMaking] = useState(false);
  const destinations = useQuery({ ...destinationsQuery(projectId, cursor), enabled: may('WRITE_EVENT_DESTINATION') });
  return (
    <SettingsPage
      place={PLACES.eventDestinations}
      actions={
        <Button isMain onClick={() => setMaking(true)}>
          {words.newDestination}
        </Button>
      }
    >
      <PagedList query={destinations} none={words.none}>
        {(all) => <DestinationTable destinations={all} />}
      </PagedList>
      {isMaking && <NewDestinationDialog projectId={projectId} onClose={() => setMaking(false)} />}
    </SettingsPage>
  );
}

const COLUMNS = [words.url, words.status, words.events, words.made];

const DestinationTable = ({ destinations }: { destinations: readonly Destination[] }) => (
  <Table name={words.destinations} columns={COLUMNS}>
    {destinations.map((destination) => (
      <tr key={destination.id}>
        <td>
          <Link to={inProject(`/settings/event-destinations/${destination.id}`, destination.projectId)}>
            {destination.url}
          </Link>
        </td>
        <td>
          <DestinationStatus destination={destination} />
        </td>
        <td>{destination.events.join(', ')}</td>
        <td>
          <Moment at={destination.created} />
        </td>
      </tr>
    ))}
  </Table>
);

/** Makes a destination, and shows once the secret that signs what it is sent. */
function NewDestinationDialog({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>(null);
  const submit = async (fields: DestinationFields) =>
    setSecret((await createDestination({ projectId, ...fields })).secret);
  if (secret !== null)
    return (
      <ShownOnceDialog
        title={words.created}
        says={words.secretSays}
        value={secret}
        copyWord={words.copySecret}
        onClose={onClose}
      />
    );
  return (
    <DestinationDialog
      title={words.newDestination}
      verb={words.create}
      before={{ url: '', events: [...USUAL_EVENTS] }}
      onSubmit={submit}
      onClose={onClose}
    />
  );
}

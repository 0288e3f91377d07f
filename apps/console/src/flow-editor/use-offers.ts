import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { installationQuery } from '../api/installation';
import { catalogueQuery, type Piece } from '../api/pieces';
import { appsWithActions, appsWithTriggers, type App } from './apps';
import { stepKinds, triggerKinds } from './new-step';
import { offerGroups, type OfferGroup } from './offers';

export type Offered = 'actions' | 'triggers';

interface Sought {
  offered: Offered;
  pieces: readonly Piece[];
  /** The package that is looked into. */
  opened: App | null;
  typed: string;
}

/** What the palette offers for what was typed. The catalogue of packages is read when a palette is first opened. */
export function useOffers({ offered, pieces, opened, typed }: Sought) {
  const { data: installation } = useQuery(installationQuery);
  const isOffered = installation?.piecePackages === 'catalogue';
  const { data: catalogue, isLoading, error, refetch } = useQuery({ ...catalogueQuery, enabled: isOffered });
  const kinds = useMemo(() => (offered === 'actions' ? stepKinds : triggerKinds)(pieces), [offered, pieces]);
  const apps = useMemo(
    () => (offered === 'actions' ? appsWithActions : appsWithTriggers)(catalogue ?? [], pieces),
    [offered, pieces, catalogue],
  );
  const groups = useMemo((): OfferGroup[] => offerGroups({ kinds, apps, opened, typed }), [kinds, apps, opened, typed]);
  return { groups, apps: { isLoading, error, tryAgain: () => void refetch() } };
}

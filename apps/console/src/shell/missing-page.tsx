import { Link } from 'react-router';
import type { ApiError } from '../api/api-error';
import { Page } from './page';
import { isMissable, MISSING, words } from './words';

/** Says that the thing which the address names is not there, and leads back to the list that it would be in. */
export function MissingPage({ error: { params } }: { error: ApiError }) {
  const { entityType, entityId } = params;
  const kind = isMissable(entityType) ? entityType : null;
  return (
    <Page name={words.notFound}>
      <p>{kind === null ? words.nothingHere : words.missing(MISSING[kind].word)}</p>
      {typeof entityId === 'string' && (
        <p>
          <code>{entityId}</code>
        </p>
      )}
      <Link to={kind === null ? '/flows' : MISSING[kind].list}>
        {kind === null ? words.toFlows : MISSING[kind].back}
      </Link>
    </Page>
  );
}

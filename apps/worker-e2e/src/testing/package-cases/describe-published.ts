import { registryHas } from '@millrace/e2e-support';

/** Describes tests of published packages, which are left out where the registry has none of them. */
export const describePublished = registryHas('@activepieces/piece-baserow', '0.10.0') ? describe : describe.skip;

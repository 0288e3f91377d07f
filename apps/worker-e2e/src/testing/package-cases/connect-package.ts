import type { ServiceWithTargets } from '../service-with-targets';
import type { TriedPackage } from './package-case';

/** Stores the connection of a package, and returns the input by which its steps name it. */
export async function connectPackage(
  targets: ServiceWithTargets,
  { piece, connection, auth = '{{ connections.vendor }}' }: TriedPackage,
): Promise<unknown> {
  const externalId = `vendor-${piece}`;
  await targets.connect(externalId, connection.type, connection.value);
  const named = JSON.stringify(auth).replace('connections.vendor', `connections['${externalId}']`);
  return JSON.parse(named) as unknown;
}

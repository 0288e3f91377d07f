import type { PieceRef } from '@millrace/domain';
import type { ActionDefinition, PieceDefinition } from '../framework/piece';
import type { Props } from '../framework/props';
import { packageAction } from './package-action';
import { packageAuth, type PackageAuth } from './package-auth';
import type { PackageCalls } from './package-calls';
import { packageProps } from './package-props';
import { readPublishedPiece, type PublishedAction, type PublishedPiece } from './published-piece';

/** Makes a piece of an installed package from what it said of itself. Its actions call the package. */
export function packagePiece(ref: PieceRef, description: unknown, calls: PackageCalls): PieceDefinition {
  const published = readPublishedPiece(ref.name, description);
  const connection = packageAuth(published.auths);
  const actions = Object.entries(published.actions).map(([name, action]): [string, ActionDefinition] => [
    name,
    definitionOf(name, action, { ref, published, connection, calls }),
  ]);
  const { displayName, description: words, categories } = published;
  return {
    name: ref.name,
    version: ref.version,
    displayName,
    description: words,
    category: 'APPS',
    keywords: categories.map((category) => category.toLowerCase().replaceAll('_', ' ')),
    auth: connection?.auth ?? { kind: 'none' },
    triggers: {},
    actions: Object.fromEntries(actions),
  };
}

interface Package {
  readonly ref: PieceRef;
  readonly published: PublishedPiece;
  readonly connection: PackageAuth | null;
  readonly calls: PackageCalls;
}

function definitionOf(name: string, published: PublishedAction, of: Package): ActionDefinition {
  const { displayName, description, requiresAuth } = published;
  const { connection, calls, ref } = of;
  const props: Props = packageProps(published.props, () => Promise.resolve(null));
  const unknownKinds = requiresAuth && !connection ? of.published.auths.map(({ type }) => type) : [];
  const problem = `${displayName} needs a connection of the kind ${unknownKinds.join(' or ')}, which is not known here.`;
  return {
    displayName,
    description,
    props,
    ...(requiresAuth && connection && { auth: connection.auth }),
    ...(unknownKinds.length > 0 && { problems: () => [problem] }),
    ...packageAction({ piece: ref, action: name, connection: requiresAuth ? connection : null }, calls),
  };
}

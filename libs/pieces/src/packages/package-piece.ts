import type { PieceRef } from '@millrace/domain';
import type { ActionDefinition, PieceDefinition, TriggerDefinition } from '../framework/piece';
import type { Props } from '../framework/props';
import type { FileInput } from './call-files';
import { packageAction } from './package-action';
import { packageAuth, packageSignIn, type PackageAuth } from './package-auth';
import type { PackageCalls } from './package-calls';
import { readAppEvent } from './package-events';
import { packageOptions, packageValidation } from './package-options';
import { packageProps } from './package-props';
import { packageTrigger } from './package-trigger';
import { packageAppTrigger, packageWebhook } from './package-webhook';
import {
  readPublishedPiece,
  type PublishedAction,
  type PublishedPiece,
  type PublishedProps,
  type PublishedTrigger,
} from './published-piece';

/** Makes a piece of an installed package from what it said of itself. Its actions and triggers call the package. */
export function packagePiece(ref: PieceRef, description: unknown, calls: PackageCalls): PieceDefinition {
  const published = readPublishedPiece(ref.name, description);
  const connection = packageAuth(published.auths);
  const signIn = packageSignIn(published.auths);
  const of = { ref, published, connection, calls };
  const actions = Object.entries(published.actions).map(([name, action]): [string, ActionDefinition] => [
    name,
    actionOf(name, action, of),
  ]);
  const triggers = Object.entries(published.triggers).map(([name, trigger]): [string, TriggerDefinition] => [
    name,
    triggerOf(name, trigger, of),
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
    ...(signIn && { signIn }),
    ...(connection && packageValidation({ piece: ref, connection, checkedAuths: published.checkedAuths }, calls)),
    readEvent: (request, context) => readAppEvent(ref, request, { calls, ...context }),
    triggers: Object.fromEntries(triggers),
    actions: Object.fromEntries(actions),
  };
}

interface Package {
  readonly ref: PieceRef;
  readonly published: PublishedPiece;
  readonly connection: PackageAuth | null;
  readonly calls: PackageCalls;
}

function actionOf(name: string, published: PublishedAction, of: Package): ActionDefinition {
  const { calls, ref } = of;
  const connection = published.requiresAuth ? of.connection : null;
  const { props } = published;
  const dynamicInputs = Object.keys(props).filter((input) => props[input]?.type === 'DYNAMIC');
  const action = { piece: ref, action: name, connection, fileInputs: fileInputsAmong(props), dynamicInputs };
  return { ...commonOf(name, published, of), ...packageAction(action, calls) };
}

function triggerOf(name: string, published: PublishedTrigger, of: Package): TriggerDefinition {
  const { calls, ref } = of;
  const connection = published.requiresAuth ? of.connection : null;
  const common = commonOf(name, published, of);
  const trigger = { piece: ref, trigger: name, connection, fileInputs: fileInputsAmong(published.props) };
  if (published.type === 'WEBHOOK') return { ...common, ...packageWebhook(trigger, published, calls) };
  if (published.type === 'APP_WEBHOOK') {
    const app = packageAppTrigger(trigger, published, calls);
    const problems: TriggerDefinition['problems'] = (input) =>
      [common, app].flatMap((each) => each.problems?.(input) ?? []);
    return { ...common, ...app, problems };
  }
  if (published.type !== 'POLLING') {
    const problem = `${published.displayName} is started by hand, which only triggers of built-in pieces can be.`;
    return { ...common, resultType: 'MANUAL', problems: () => [problem] };
  }
  return { ...common, ...packageTrigger(trigger, calls) };
}

/** What actions and triggers have in common: how they are shown, their inputs, and the connection that they need. */
function commonOf(
  name: string,
  { displayName, description, requiresAuth, props: published }: PublishedAction,
  of: Package,
) {
  const { ref: piece, connection, calls } = of;
  const owner = { piece, owner: name, connection: requiresAuth ? connection : null };
  const props: Props = packageProps(published, packageOptions(owner, calls));
  const unknownKinds = requiresAuth && !connection ? of.published.auths.map(({ type }) => type) : [];
  const problem = `${displayName} needs a connection of the kind ${unknownKinds.join(' or ')}, which is not known here.`;
  return {
    displayName,
    description,
    props,
    ...(requiresAuth && connection && { auth: connection.auth }),
    ...(unknownKinds.length > 0 && { problems: () => [problem] }),
  };
}

const fileInputsAmong = (props: PublishedProps): FileInput[] =>
  Object.entries(props).flatMap(([input, { type, members = {} }]): FileInput[] => {
    if (type === 'FILE') return [{ input }];
    const files = Object.keys(members).filter((member) => members[member]?.type === 'FILE');
    return files.map((member) => ({ input, member }));
  });

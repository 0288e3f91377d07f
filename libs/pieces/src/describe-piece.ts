import type { PieceDescription, PropDescription, AuthDescription } from '@millrace/domain';
import type { PieceAuth } from './framework/auth';
import type { PieceDefinition } from './framework/piece';
import type { Prop, Props } from './framework/props';

/**
 * Describes a piece to clients, as data. `dependsOnOthers` marks a prop whose choices or inputs the client must
 * request.
 */
export function describePiece({
  name,
  displayName,
  description,
  category,
  keywords,
  version,
  ...piece
}: PieceDefinition): PieceDescription {
  return {
    name,
    displayName,
    description,
    category,
    keywords,
    version,
    auth: describeAuth(piece),
    triggers: mapValues(piece.triggers, (trigger) => ({
      displayName: trigger.displayName,
      description: trigger.description,
      props: describeProps(trigger.props),
      triggerType: trigger.resultType,
    })),
    actions: mapValues(piece.actions, (action) => ({
      displayName: action.displayName,
      description: action.description,
      requiresAuth: (action.auth ?? { kind: 'none' }).kind !== 'none',
      props: describeProps(action.props),
    })),
  };
}

export const describeProps = (props: Props): Record<string, PropDescription> => mapValues(props, describeProp);

function describeAuth({ auth, signIn }: Pick<PieceDefinition, 'auth' | 'signIn'>): AuthDescription | null {
  if (auth.kind === 'none') return null;
  const described = describeKind(auth);
  return signIn ? { ...described, signIn: { props: describeProps(signIn.inputs) } } : described;
}

function describeKind(auth: Exclude<PieceAuth, { kind: 'none' }>): AuthDescription {
  const { alternatives: _alternatives, ...first } = auth;
  if (first.kind !== 'customAuth') return first;
  const { takesAnyMembers: _any, ...custom } = first;
  return { ...custom, props: describeProps(custom.props) };
}

function describeProp(prop: Prop): PropDescription {
  if (prop.kind === 'dynamic') {
    const { props: _props, takesAnyMembers: _any, ...description } = prop;
    return { ...description, dependsOnOthers: true };
  }
  if (prop.kind === 'object') return describeObject(prop);
  if (prop.kind === 'array') return describeList(prop);
  if (!('options' in prop)) return prop;
  const { options, ...description } = prop;
  return typeof options === 'function' ? { ...description, dependsOnOthers: true } : { ...description, options };
}

function describeObject({ members, membersBy, ...description }: Extract<Prop, { kind: 'object' }>): PropDescription {
  return {
    ...description,
    ...(members && { members: describeProps(members) }),
    ...(membersBy && { membersBy: { ...membersBy, members: mapValues(membersBy.members, describeProps) } }),
  };
}

const describeList = ({ members, ...description }: Extract<Prop, { kind: 'array' }>): PropDescription => ({
  ...description,
  ...(members && { members: describeProps(members) }),
});

const mapValues = <From, To>(values: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

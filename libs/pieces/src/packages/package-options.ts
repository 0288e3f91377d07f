import { isJsonObject, type PieceRef } from '@millrace/domain';
import { coerceAuth } from '../framework/auth';
import { isMissing } from '../framework/coerce-input';
import { ActionFailure, type PieceDefinition } from '../framework/piece';
import { connectionServices } from './call-connections';
import type { PackageAuth, PackageAuthValue } from './package-auth';
import { UnansweredCall, type PackageCall, type PackageCalls } from './package-calls';
import type { AskPackage } from './package-props';

interface OwnerOfProps {
  readonly piece: PieceRef;
  /** The action or the trigger that has the props. */
  readonly owner: string;
  /** The connection that it takes. Null when it takes none. */
  readonly connection: PackageAuth | null;
}

/** Asks a package for what depends on the other inputs of an action or a trigger. */
export function packageOptions({ piece, owner, connection }: OwnerOfProps, calls: PackageCalls): AskPackage {
  return async (prop, { auth: _written, ...input }, { auth, projectId, connection: find, searchValue, signal }) => {
    // A package says for itself what it shows before there is a connection.
    const isConnected = connection !== null && !isMissing(auth);
    const request = {
      kind: 'options',
      owner,
      prop,
      projectId,
      stepName: owner,
      input,
      ...(isConnected && { auth: authOf(connection, auth) }),
      ...(searchValue !== undefined && { searchValue }),
    };
    const services = find ? connectionServices(find) : {};
    return answerOf(calls, { piece, projectId: projectNamed(projectId), request, services, signal });
  };
}

/** A package with a connection, and the types of connections that it checks; null when that is unknown. */
interface CheckingPackage {
  readonly piece: PieceRef;
  readonly connection: PackageAuth;
  readonly checkedAuths: readonly string[] | null;
}

/** Asks a package whether a connection works, if it checks connections of this type. */
export function packageValidation(
  { piece, connection, checkedAuths }: CheckingPackage,
  calls: PackageCalls,
): Required<Pick<PieceDefinition, 'validate' | 'validates'>> {
  return {
    validates: (auth) => checkedAuths?.includes(connection.valueOf(auth).type) ?? true,
    async validate(auth, { projectId, signal }) {
      const request = { kind: 'validate', auth: connection.valueOf(auth) };
      const answer = await answerOf(calls, { piece, projectId, request, services: {}, signal });
      const { valid, error } = isJsonObject(answer) ? answer : {};
      if (valid === true) return null;
      return typeof error === 'string' && error !== '' ? error : 'The piece did not say why.';
    },
  };
}

/**
 * Asks while a person waits for it. Throws ActionFailure with what the package throws, and UnansweredCall when it gave no
 * answer.
 */
async function answerOf(calls: PackageCalls, call: PackageCall): Promise<unknown> {
  const answer = await calls.call({ ...call, isFirst: true });
  if ('failure' in answer) throw new (answer.isUnanswered ? UnansweredCall : ActionFailure)(answer.failure);
  return answer.value;
}

function authOf(connection: PackageAuth, given: unknown): PackageAuthValue {
  const coerced = coerceAuth(connection.auth, given);
  if ('problems' in coerced) throw new ActionFailure(coerced.problems.join(' '));
  return connection.valueOf(coerced.auth);
}

/** No process of a package is shared between projects, so nobody asks one without a project. */
function projectNamed(projectId: string | undefined): string {
  if (projectId === undefined) throw new Error('A package is asked for a project.');
  return projectId;
}

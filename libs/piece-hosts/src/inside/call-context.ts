import { authFor, type AuthValue, type ContextVersion } from './context-version';
import type { Ask, CallScope } from './requests';

const LONGEST_KEY = 128;

/** The members that the contexts of actions, triggers and props have in common. */
export function commonContext(ask: Ask, scope: CallScope, version: ContextVersion) {
  return {
    store: storeOf(ask),
    connections: {
      get: async (externalId: string) =>
        authFor((await ask('connection', externalId)) as AuthValue | undefined, version) ?? null,
    },
    project: { id: scope.projectId, externalId: () => Promise.resolve(scope.externalProjectId) },
    step: { name: scope.stepName },
    flows: {
      list: (filter: unknown) => ask('flows', filter ?? null),
      current: { id: scope.flowId, version: { id: scope.flowVersionId } },
    },
    server: { apiUrl: scope.apiUrl, publicUrl: scope.publicUrl, token: scope.token },
  };
}

/** The inputs as packages expect them: with the connection among them, where there is one. */
export function propsValueOf({ input, auth }: CallScope, version: ContextVersion): Readonly<Record<string, unknown>> {
  return auth ? { ...input, auth: authFor(auth, version) } : input;
}

/** The store of the flow, or of the project where the package says so. */
function storeOf(ask: Ask) {
  const at = (key: unknown, scope: unknown): [string, boolean] => {
    if (typeof key !== 'string' || key === '' || key.length > LONGEST_KEY)
      throw new Error(`A key of the store has 1 to ${LONGEST_KEY} characters.`);
    return [key, scope === 'COLLECTION' || scope === 'PROJECT'];
  };
  return {
    get: async (key: unknown, scope?: unknown) => (await ask('store.get', ...at(key, scope))) ?? null,
    put: async (key: unknown, value: unknown, scope?: unknown) => {
      await ask('store.put', ...at(key, scope), value ?? null);
      return value;
    },
    delete: async (key: unknown, scope?: unknown) => void (await ask('store.delete', ...at(key, scope))),
  };
}

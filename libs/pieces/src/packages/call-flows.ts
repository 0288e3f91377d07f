import { isJsonObject, type FlowOfProject, type ProjectFlows } from '@millrace/domain';
import type { PackageServices } from './package-calls';

/** The flows that a call of a package may list: those of its project alone, and one list at a time. */
export function flowServices(projectId: string, flows: ProjectFlows): PackageServices {
  let last: Promise<unknown> = Promise.resolve();
  const list = async (filter: unknown): Promise<unknown> => {
    const data = await flows.list(projectId, externalIdsIn(filter));
    return { data: data.map(asPackagesKnowIt), next: null, previous: null };
  };
  return {
    flows: (filter) => {
      const listed = last.then(() => list(filter));
      last = listed.catch(() => undefined);
      return listed;
    },
  };
}

function externalIdsIn(filter: unknown): string[] | undefined {
  const ids = isJsonObject(filter) ? filter['externalIds'] : undefined;
  return Array.isArray(ids) ? ids.map(String) : undefined;
}

/** Packages look for triggers by the public names of their pieces. */
function asPackagesKnowIt(flow: FlowOfProject): FlowOfProject {
  const { version } = flow;
  const settings: unknown = version.trigger.settings;
  const name = isJsonObject(settings) ? settings['pieceName'] : undefined;
  if (typeof name !== 'string' || name.startsWith('@')) return flow;
  const pieceName = `@activepieces/piece-${name.replaceAll('_', '-')}`;
  const trigger = { ...version.trigger, settings: { ...(settings as object), pieceName } };
  return { ...flow, version: { ...version, trigger } };
}

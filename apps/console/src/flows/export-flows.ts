import { saveFile } from '../browser/save-file';
import { exportFlow } from './flow-changes';
import { fileNameOf } from './flow-files';
import type { FlowSummary } from './flow-queries';

const SEVERAL = 'flows.json';

/** Gives the latest versions of flows to the person as a file, which can be imported again. */
export async function saveFlows(flows: readonly FlowSummary[]): Promise<void> {
  const [first, ...others] = flows;
  if (!first) return;
  if (others.length === 0) return saveFile(fileNameOf(first.version.displayName), inText(await exportFlow(first)));
  const definitions = [];
  for (const flow of flows) definitions.push((await exportFlow(flow)).template);
  saveFile(SEVERAL, inText({ flows: definitions }));
}

const inText = (value: unknown): string => JSON.stringify(value, null, 2);

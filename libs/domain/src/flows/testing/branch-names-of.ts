import type { FlowVersion } from '../flow-version';
import { routerNamed } from '../step-tree';

export const branchNamesOf = ({ trigger }: FlowVersion, routerName: string): string[] =>
  routerNamed(trigger, routerName).settings.branches.map(({ branchName }) => branchName);

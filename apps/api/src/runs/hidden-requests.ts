import { mayAnswerIn, withoutRequestId, withoutRequestLinks, type FlowRun, type Principal } from '@millrace/domain';

// Whoever knows the id of a request to a person can answer it, without a login. So a caller that may read the runs of a
// project but not act on them does not get it.

/** Returns the run as the principal may see it. */
export const runFor = <Run extends FlowRun>(principal: Principal, run: Run): Run =>
  mayAnswerIn(principal, run.projectId) ? run : withoutRequestId(run);

/** Returns recorded data as the principal may see it: links that answer requests lead nowhere for who may not answer. */
export function dataFor<Data>(principal: Principal, projectId: string, data: Data): Data {
  if (data === undefined || mayAnswerIn(principal, projectId)) return data;
  return JSON.parse(withoutRequestLinks(JSON.stringify(data))) as Data;
}

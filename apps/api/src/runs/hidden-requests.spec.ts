import { aFlowRun, aPrincipal } from '@millrace/domain/testing';
import { dataFor, runFor } from './hidden-requests';

describe('a run that waits for a person', () => {
  const waitingOn = { kind: 'human' as const, since: new Date(0), requestId: 'secret' };
  const run = aFlowRun({ projectId: 'p1', status: 'PAUSED', waitingOn });
  const approvalLink = 'http://flows.test/api/v1/flow-runs/r1/requests/se-cr_et/sync?action=approve';
  const steps = { links: { type: 'ACTION', output: { approvalLink, text: `Answer at ${approvalLink} or not.` } } };

  it.each(['ADMIN', 'EDITOR', 'OPERATOR'] as const)('shows %s how to answer', (role) => {
    const principal = aPrincipal({ p1: role });
    expect(runFor(principal, run)).toBe(run);
    expect(dataFor(principal, 'p1', steps)).toBe(steps);
  });

  it('shows VIEWER that it waits, and not how to answer', () => {
    const viewer = aPrincipal({ p1: 'VIEWER', p2: 'ADMIN' });
    expect(runFor(viewer, run)).toEqual({ ...run, waitingOn: { kind: 'human', since: new Date(0) } });
    const shown = dataFor(viewer, 'p1', steps).links.output;
    expect(shown.approvalLink).toBe('http://flows.test/api/v1/flow-runs/r1/requests/**REDACTED**/sync?action=approve');
    expect(shown.text).not.toContain('se-cr_et');
    expect(dataFor(viewer, 'p1', undefined)).toBeUndefined();
  });

  it('shows VIEWER what the person is asked, without links in it', () => {
    const request = { kind: 'approval', stepPath: 'ask', message: `Is 40 too dear? ${approvalLink}` } as const;
    const shown = runFor(aPrincipal({ p1: 'VIEWER' }), { ...run, waitingOn: { ...waitingOn, request } });
    expect(shown.waitingOn?.request).toEqual({
      ...request,
      message: 'Is 40 too dear? http://flows.test/api/v1/flow-runs/r1/requests/**REDACTED**/sync?action=approve',
    });
  });
});

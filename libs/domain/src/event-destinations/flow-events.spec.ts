import type { PopulatedFlow } from '../flows/flow';
import { aFlow } from '../testing/a-flow';
import { aFlowVersion } from '../testing/a-flow-version';
import { anId } from '../testing/an-id';
import { flowEventData, flowEventKinds } from './flow-events';

const aPopulatedFlow = (more: Partial<PopulatedFlow> = {}): PopulatedFlow => ({
  ...aFlow(),
  version: aFlowVersion(),
  ...more,
});

describe('flowEventKinds', () => {
  const before = aPopulatedFlow({ status: 'DISABLED', publishedVersionId: null, revision: 4 });
  const published = anId();

  it.each([
    ['an edit', {}, ['flow.updated']],
    ['a publication', { publishedVersionId: published }, ['flow.published']],
    [
      'a publication that enables',
      { publishedVersionId: published, status: 'ENABLED' },
      ['flow.published', 'flow.enabled'],
    ],
    ['enabling', { status: 'ENABLED' }, ['flow.enabled']],
  ] as const)('tells %s', (_what, change, kinds) => {
    expect(flowEventKinds(before, { ...before, ...change, revision: 5 })).toEqual(kinds);
  });

  it('tells disabling', () => {
    const enabled = { ...before, status: 'ENABLED' } as const;

    expect(flowEventKinds(enabled, { ...enabled, status: 'DISABLED', revision: 5 })).toEqual(['flow.disabled']);
  });

  it('tells nothing of an operation that changed nothing', () => {
    expect(flowEventKinds(before, before)).toEqual([]);
  });
});

describe('flowEventData', () => {
  it('shows the flow and its version without trigger, notes and what serves the edit guard', () => {
    const { version, ...flow } = aPopulatedFlow();

    const data = flowEventData(flow, version);

    expect(data).toMatchObject({ id: flow.id, status: flow.status, version: { id: version.id, state: version.state } });
    expect(data).not.toHaveProperty('revision');
    expect(data).not.toHaveProperty('updatedBy');
    expect(data.version).not.toHaveProperty('trigger');
    expect(data.version).not.toHaveProperty('notes');
  });
});

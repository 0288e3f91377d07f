import { anId } from './an-id';
import { HandDrivenClock } from './hand-driven-clock';
import { InMemoryPolls } from './in-memory-polls';
import { describePollFaults } from './poll-faults.contract';
import { describePolls, type PollsUnderTest } from './polls.contract';

function inMemory(): Promise<PollsUnderTest> {
  const clock = new HandDrivenClock();
  const polls = new InMemoryPolls(clock);
  const projects = new Map<string, string>();
  return Promise.resolve({
    polls,
    aFlow: async ({ projectId = anId(), everyMinutes } = {}) => {
      const flowId = anId();
      projects.set(flowId, projectId);
      polls.enable(flowId, { projectId, flowVersionId: anId(), everyMinutes: everyMinutes ?? null });
      return { flowId, projectId };
    },
    republish: async (flowId) => polls.enable(flowId, { projectId: projects.get(flowId) ?? '', flowVersionId: anId() }),
    disable: async (flowId) => polls.disable(flowId),
    passTime: async (ms) => clock.advance(ms),
    runsOf: async (flowId) => polls.runs.filter((run) => run.flowId === flowId).map(({ payload }) => payload as string),
    beginEnabling: async (flowId) => polls.beginEnabling(flowId),
    storedBy: async ({ flowId }, scope, key) =>
      polls.storedBy(flowId).find((write) => write.scope === scope && write.key === key)?.value ?? null,
    failureOf: async (flowId) => polls.failureOf(flowId),
  });
}

describePolls('in memory', inMemory);
describePollFaults('in memory', inMemory, { seeds: 200 });

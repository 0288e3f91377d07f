import { controlDemand } from '../flow-control/control-demand';
import { HandDrivenClock } from '../testing/hand-driven-clock';
import { HELD, lostAfter } from '../testing/held-lease';
import { InMemoryFlowControl } from '../testing/in-memory-flow-control';
import { InMemoryJobQueue } from '../testing/in-memory-job-queue';
import { InMemoryRunJournal, type JournalledRun } from '../testing/in-memory-run-journal';
import { recordingRunEvents } from '../testing/recording-run-events';
import { FlowControlDuty } from './flow-control-duty';

const OF_FLOW = { flowId: 'flow', projectId: 'project' };

function setUp() {
  const clock = new HandDrivenClock();
  const queue = new InMemoryJobQueue();
  const journal = new InMemoryRunJournal(clock, queue);
  const control = new InMemoryFlowControl(journal);
  const { events, told } = recordingRunEvents();
  const duty = new FlowControlDuty(control, events, clock);
  const admit = async (id: string, settings: Parameters<typeof controlDemand>[1], isAwaited = false) => {
    journal.add({ id, isAwaited });
    await control.admit({ ...OF_FLOW, runId: id, epoch: 0, demand: controlDemand('flow', settings, {}) });
  };
  const woken = () => queue.waiting().flatMap(({ runs }) => runs.map(({ runId }) => runId));
  return { clock, journal, control, duty, admit, woken, told };
}

const rowOf = (journal: InMemoryRunJournal, runId: string): JournalledRun => journal.runs.get(runId) as JournalledRun;

describe('FlowControlDuty', () => {
  it('gives the place of a run that was ended from outside to the next one', async () => {
    const { journal, duty, admit, woken } = setUp();
    for (const id of ['run_1', 'run_2']) await admit(id, { concurrency: { limit: 1 } });
    journal.cancel(['run_1']);

    await duty.perform(HELD);

    expect(woken()).toEqual(['run_2']);
  });

  it('lets a batch begin whose time has come, and tells the senders of the runs that joined it', async () => {
    const { clock, duty, admit, woken, told } = setUp();
    for (const id of ['run_1', 'run_2']) await admit(id, { batch: { size: 9, seconds: 5 } }, true);
    clock.advance(5_000);

    await duty.perform(HELD);

    expect(woken()).toEqual(['run_1']);
    expect(told).toHaveLength(1);
  });

  it('looks at paused runs once a minute, and forgets those that have ended', async () => {
    const { journal, duty, admit, control } = setUp();
    await admit('run_1', { concurrency: { limit: 1 } });
    journal.runs.set('run_1', { ...rowOf(journal, 'run_1'), status: 'PAUSED' });
    await control.leave({ ...OF_FLOW, runId: 'run_1', epoch: 0 }, 'paused');
    const looks = jest.spyOn(control, 'reviewLeft');
    await duty.perform(HELD);
    journal.cancel(['run_1']);

    for (let turn = 0; turn < 59; turn++) await duty.perform(HELD);
    expect(control.entries.size).toBe(1);
    await duty.perform(HELD);

    expect(control.entries.size).toBe(0);
    expect(looks.mock.calls.filter(([state]) => state === 'paused')).toHaveLength(2);
  });

  it('does nothing without the lease', async () => {
    const { journal, duty, admit, woken } = setUp();
    for (const id of ['run_1', 'run_2']) await admit(id, { concurrency: { limit: 1 } });
    journal.cancel(['run_1']);

    await duty.perform(lostAfter(0));

    expect(woken()).toEqual([]);
  });
});

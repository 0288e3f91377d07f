import type { ClaimedPoll, PollClaim, PollTurn, SettledPoll } from '../triggers/polls/polls';
import { Polls } from '../triggers/polls/polls';
import { PollRunner } from '../triggers/polls/poll-runner';
import { PollSource, type PollAnswer } from '../triggers/polls/poll-source';
import { aFlowVersion } from './a-flow-version';
import { anId } from './an-id';
import type { PollsUnderTest } from './polls.contract';

// Kills processes that poll, at every point, by a seed. Each item of the source must get exactly one run.

type Fault =
  | 'none'
  | 'before the turn'
  | 'before the answer'
  | 'after the answer'
  | 'before the commit'
  | 'after the commit';
const FAULTS: readonly Fault[] = [
  'none',
  'before the turn',
  'before the answer',
  'after the answer',
  'before the commit',
  'after the commit',
];

const LEASE_MS = 60_000;
const LIMITS = { most: 10, mostOfProject: 10, leaseMs: LEASE_MS };
const TURNS = 30;

class Killed extends Error {}

/** A whole number from 0 to `sides - 1` (a linear congruence). */
function diceOf(seed: number): (sides: number) => number {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

/** A source that gets new items, changes their order and hides some of them now and then. */
class MovingSource extends PollSource {
  private readonly items: string[] = ['first'];
  hidesNothing = false;

  constructor(private readonly dice: (sides: number) => number) {
    super();
  }

  get known(): readonly string[] {
    return this.items;
  }

  grow(): void {
    for (let more = this.dice(4); more > 0; more--) this.items.push(`item ${this.items.length}`);
  }

  override async ask(): Promise<PollAnswer> {
    const shown = this.items.filter(() => this.hidesNothing || this.dice(4) > 0);
    const items = shown.map((name) => ({ name, value: name, at: this.dice(1_000) })).sort((a, b) => a.at - b.at);
    return { kind: 'found', source: 'source', items, store: { asked: this.dice(1_000) } };
  }
}

/** Lets a process die at one point of its turn. What it has not committed is lost with it. */
class MortalPolls extends Polls {
  constructor(
    private readonly polls: Polls,
    private readonly fault: Fault,
  ) {
    super();
  }

  override claimDue = (): Promise<ClaimedPoll[]> => Promise.reject(new Error('Only the leader claims.'));

  override async find(claim: PollClaim): Promise<PollTurn | null> {
    this.dieAt('before the turn');
    return this.polls.find(claim);
  }

  override async settle(turn: ClaimedPoll, settled: SettledPoll): Promise<boolean> {
    this.dieAt('before the commit');
    const isSettled = await this.polls.settle(turn, settled);
    this.dieAt('after the commit');
    return isSettled;
  }

  dieAt(point: Fault): void {
    if (this.fault === point) throw new Killed();
  }
}

/** Polls in a process that dies at the point of the fault. */
async function pollAndDie(test: PollsUnderTest, source: MovingSource, claim: PollClaim, fault: Fault): Promise<void> {
  const polls = new MortalPolls(test.polls, fault);
  const mortal: Pick<PollSource, 'ask'> = {
    ask: async () => {
      polls.dieAt('before the answer');
      const answer = await source.ask();
      polls.dieAt('after the answer');
      return answer;
    },
  };
  const versions = { getVersion: async () => aFlowVersion() };
  const options = { everyMinutes: 5, now: () => new Date(), newId: anId, random: () => 0.5 };
  const runner = new PollRunner(polls, versions, mortal, options);
  await runner.run(claim, new AbortController().signal).catch((error: unknown) => {
    if (!(error instanceof Killed)) throw error;
  });
}

async function exactlyOnce(test: PollsUnderTest, seed: number): Promise<void> {
  const dice = diceOf(seed);
  const source = new MovingSource(dice);
  const { flowId } = await test.aFlow();
  const turn = async (faults: readonly Fault[]): Promise<void> => {
    const claims = await test.polls.claimDue(LIMITS);
    await Promise.all(claims.flatMap((claim) => faults.map((fault) => pollAndDie(test, source, claim, fault))));
    await test.passTime(LEASE_MS * 10);
  };
  source.hidesNothing = true;
  await turn(['none']);
  source.hidesNothing = false;

  for (let i = 0; i < TURNS; i++) {
    source.grow();
    // Now and then the queue delivers a job to two processes.
    const faults = Array.from({ length: dice(3) === 0 ? 2 : 1 }, () => FAULTS[dice(FAULTS.length)] ?? 'none');
    await turn(faults);
  }
  source.hidesNothing = true;
  await turn(['none']);

  const runs = await test.runsOf(flowId);
  const expected = source.known.slice(1).map((item) => JSON.stringify(item));
  expect({ seed, runs: [...runs].sort() }).toEqual({ seed, runs: [...expected].sort() });
}

/** Each item gets exactly one run, wherever the processes die. `subject` returns new polls each time. */
export function describePollFaults(
  name: string,
  subject: () => Promise<PollsUnderTest>,
  { seeds }: { seeds: number },
): void {
  describe(`Polls under faults: ${name}`, () => {
    it(`starts exactly one run for each item, by ${seeds} seeds`, async () => {
      for (let seed = 1; seed <= seeds; seed++) await exactlyOnce(await subject(), seed);
    });
  });
}

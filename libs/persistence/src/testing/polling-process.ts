import 'reflect-metadata';
import { PollRunner, PollSource, type PollAnswer } from '@millrace/domain';
import { aFlowVersion, InMemoryJobQueue } from '@millrace/domain/testing';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { ENQUEUE_PATIENCE } from '../runs/best-effort-enqueue';
import { RunsInTransaction } from '../runs/runs-in-transaction';
import { PostgresPolls } from '../triggers/postgres-polls';

// A process that polls once, for tests that kill it: `<database> <url of a JSON list> [holds]`. It says `asked` when it
// has the items, and `settled` at its end. With `holds` it stops between the two until it is killed.

const [databaseUrl = '', url = '', holds] = process.argv.slice(2);
const say = (word: string): void => void process.stdout.write(`${word}\n`);

class ListSource extends PollSource {
  override async ask(): Promise<PollAnswer> {
    const names = (await (await fetch(url)).json()) as string[];
    say('asked');
    if (holds) await new Promise(() => setInterval(() => undefined, 60_000));
    return { kind: 'found', source: url, items: names.map((name) => ({ name, value: name })), store: {} };
  }
}

async function pollOnce(): Promise<void> {
  const pool = openHotPool(databaseUrl, 'polling process');
  const polls = new PostgresPolls(pool, new RunsInTransaction(new InMemoryJobQueue(), ENQUEUE_PATIENCE));
  const versions = { getVersion: async () => aFlowVersion() };
  const options = { everyMinutes: 5, now: () => new Date(), newId, random: Math.random };
  const runner = new PollRunner(polls, versions, new ListSource(), options);
  for (const claim of await polls.claimDue({ most: 1_000, mostOfProject: 1_000, leaseMs: 60_000 }))
    await runner.run(claim, new AbortController().signal);
  say('settled');
  await pool.end();
}

void pollOnce();

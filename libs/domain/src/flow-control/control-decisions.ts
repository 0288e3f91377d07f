import { createdAt } from '../id';
import { isFinal } from '../runs/run-transitions';
import { presentDemand, resourcesOf, type ControlDemand, type ResourceId } from './control-demand';
import type { ControlEntry, ControlLedger } from './control-ledger';
import {
  BATCH_WAIT,
  DEBOUNCE_WAIT,
  droppedBy,
  duplicateOf,
  hindrancesOf,
  joinedTo,
  supersededBy,
  waitSentence,
  type Hindrance,
} from './control-rules';

// Decides when a controlled run begins. Each function is one change of the ledger of one flow.
//
// C1. A run is admitted only while all its limits have room and no older run waits for one of them.
// C2. Each run that waits is looked at again: it is due at some time, or a run holds a place that it waits for, or an
//     older run waits for the same. Whoever leaves a line lets the next in that line have its turn.
// C3. A run that was admitted stays so in every later delivery, until it ends or pauses. After a pause it needs only a
//     place in its concurrency again.
// C5. The limits are those of the published version of the flow, whatever version a run executes.
// C6. A run is counted in its rate when its worker is about to begin it. The turn that it gets before is only reserved:
//     a run that is delivered so late that the rate is full again waits for another turn.
// C4. A paused run holds no place. So no run holds a place while it waits for another run, and none wait in a circle.

/** A delivered run, as its worker has loaded it. */
export interface ControlledRun {
  runId: string;
  flowId: string;
  projectId: string;
  epoch: number;
  demand: ControlDemand;
}

/** Most turns of one change, so that no transaction takes long. The next runs are due at once. */
const MOST_TURNS = 100;

/** Decides whether a delivered run may execute. Otherwise it waits from now on, or has ended. */
export async function admitRun(ledger: ControlLedger, run: ControlledRun): Promise<boolean> {
  const { runId, epoch } = run;
  const entry = await ledger.find(runId);
  if (entry?.state === 'gathering') return false;
  if (entry?.state === 'admitted') return beginAdmitted(ledger, entry, epoch);
  if (entry) return takeTurn(ledger, { ...entry, epoch });
  return admitNew(ledger, run);
}

/** A run that was admitted is delivered, perhaps long after that, or again. */
async function beginAdmitted(ledger: ControlLedger, entry: ControlEntry, epoch: number): Promise<boolean> {
  const { runId } = entry;
  const demand = presentDemand(entry.demand, ledger.published);
  const next = { ...entry, epoch: Math.max(epoch, entry.epoch) };
  if (demand.rate && !(await ledger.hasBegun(runId))) {
    const full = (await hindrancesNow(ledger, entry)).filter(({ rule, isFull }) => rule === 'rate' && isFull);
    if (full.length > 0) {
      await hold(ledger, next, full);
      if (demand.concurrency) await settle(ledger, [demand.concurrency.resource]);
      return false;
    }
    await ledger.countStart(runId, demand.rate);
  }
  if (next.epoch > entry.epoch) await ledger.put(next);
  return true;
}

/** A run leaves its worker because it has ended or paused. `epoch` is that of the worker's claim. */
export async function leaveRun(
  ledger: ControlLedger,
  { runId, epoch }: { runId: string; epoch: number },
  how: 'ended' | 'paused',
): Promise<void> {
  const entry = await ledger.find(runId);
  if (!entry || entry.epoch > epoch) return;
  await (how === 'ended' ? removeEntry(ledger, entry) : pauseEntry(ledger, entry));
}

/** Looks at a run whose time has come, or which may have ended or paused unnoticed. */
export async function reviewRun(ledger: ControlLedger, runId: string): Promise<void> {
  const entry = await ledger.find(runId);
  if (!entry) return;
  const status = await ledger.statusOf(runId);
  if (status === null || isFinal(status)) return removeEntry(ledger, entry);
  if (status === 'PAUSED') return pauseEntry(ledger, entry);
  if (entry.due === null || entry.due > ledger.now) return;
  if (entry.state === 'gathering') return ripen(ledger, entry);
  if (entry.state === 'waiting' && (await offerTurn(ledger, entry))) await settle(ledger, resourcesOf(entry.demand));
}

async function admitNew(ledger: ControlLedger, run: ControlledRun): Promise<boolean> {
  const demand = await applicable(ledger, run);
  const { dedupe, debounce, batch } = demand;
  if (dedupe && (await endsAsDuplicate(ledger, run.runId, dedupe))) return false;
  const { runId, flowId, epoch } = run;
  const entry: ControlEntry = { runId, flowId, state: 'waiting', epoch, demand, due: null, reason: null };
  if (debounce || batch) {
    await noteFirst(ledger, entry);
    await (debounce ? gatherDebounced(ledger, entry, debounce) : batch && gatherBatch(ledger, entry, batch));
    return false;
  }
  const hindrances = await hindrancesNow(ledger, entry);
  const full = hindrances.find(({ rule, isFull }) => isFull && demand[rule]?.drops);
  if (full) {
    await ledger.end([runId], droppedBy(presentDemand(demand, ledger.published), full, ledger.now));
    return false;
  }
  await noteFirst(ledger, entry);
  return hindrances.length > 0 ? hold(ledger, entry, hindrances) : start(ledger, entry);
}

/** A retry was asked for by name, so the rules that choose among events are not for it. */
async function applicable(ledger: ControlLedger, run: ControlledRun): Promise<ControlDemand> {
  const { concurrency, rate, ...ofEvents } = run.demand;
  const limits = { ...(concurrency && { concurrency }), ...(rate && { rate }) };
  return Object.keys(ofEvents).length > 0 && (await ledger.isRetry(run.runId)) ? limits : { ...limits, ...ofEvents };
}

async function endsAsDuplicate(
  ledger: ControlLedger,
  runId: string,
  dedupe: NonNullable<ControlDemand['dedupe']>,
): Promise<boolean> {
  const first = await ledger.firstNear(dedupe, createdAt(runId));
  if (!first || first.runId === runId) return false;
  await ledger.end([runId], duplicateOf(first.runId, dedupe.windowMs));
  return true;
}

async function noteFirst(ledger: ControlLedger, { runId, demand: { dedupe } }: ControlEntry): Promise<void> {
  if (dedupe) await ledger.addFirst({ runId, came: createdAt(runId) }, dedupe);
}

async function gatherDebounced(
  ledger: ControlLedger,
  entry: ControlEntry,
  { resource, quietMs }: NonNullable<ControlDemand['debounce']>,
): Promise<void> {
  const others = (await ledger.gatheredIn(resource, MOST_TURNS)).map(({ runId }) => runId);
  const newest = others.at(-1);
  if (newest !== undefined && newest > entry.runId) return ledger.end([entry.runId], supersededBy(newest));
  if (others.length > 0) {
    await ledger.end(others, supersededBy(entry.runId));
    await ledger.remove(others);
  }
  await gather(ledger, entry, after(ledger.now, quietMs), DEBOUNCE_WAIT);
}

async function gatherBatch(
  ledger: ControlLedger,
  entry: ControlEntry,
  { resource, size, longestMs }: NonNullable<ControlDemand['batch']>,
): Promise<void> {
  const { count, due } = await ledger.countGathered(resource);
  await gather(ledger, entry, due ?? after(ledger.now, longestMs), BATCH_WAIT);
  if (count + 1 >= size) await formBatch(ledger, resource, size);
}

const gather = (ledger: ControlLedger, entry: ControlEntry, due: Date, reason: string): Promise<void> =>
  ledger.put({ ...entry, state: 'gathering', due, reason });

/** The time of a debounced run, or of a batch, has come. */
async function ripen(ledger: ControlLedger, entry: ControlEntry): Promise<void> {
  const { batch } = entry.demand;
  await (batch ? formBatch(ledger, batch.resource, batch.size) : lineUp(ledger, entry));
}

async function formBatch(ledger: ControlLedger, resource: ResourceId, size: number): Promise<void> {
  const members = await ledger.gatheredIn(resource, size);
  const taken = await ledger.join(members.map(({ runId }) => runId));
  const [first, ...others] = taken;
  const isLeft = (runId: string): boolean => taken.length > 0 && runId > (taken.at(-1) ?? '');
  const over = members.filter(({ runId }) => runId !== first && !isLeft(runId)).map(({ runId }) => runId);
  if (first !== undefined && others.length > 0) await ledger.end(others, joinedTo(first));
  if (over.length > 0) await ledger.remove(over);
  const leader = members.find(({ runId }) => runId === first);
  if (leader) await lineUp(ledger, leader);
}

/** Lets a run that has gathered wait for its turn, which may come at once. */
async function lineUp(ledger: ControlLedger, { demand: { concurrency, rate }, ...entry }: ControlEntry): Promise<void> {
  const demand = { ...(concurrency && { concurrency }), ...(rate && { rate }) };
  await offerTurn(ledger, { ...entry, demand, state: 'waiting', due: null });
}

/** A run that waits is delivered, by a job of an earlier time or after it was resumed. */
async function takeTurn(ledger: ControlLedger, entry: ControlEntry): Promise<boolean> {
  const hindrances = await hindrancesNow(ledger, entry);
  if (hindrances.length > 0) return hold(ledger, entry, hindrances);
  await start(ledger, entry);
  await settle(ledger, resourcesOf(entry.demand));
  return true;
}

/** Lets a waiting run begin if it may. True when the run waits no more. */
async function offerTurn(ledger: ControlLedger, entry: ControlEntry): Promise<boolean> {
  const hindrances = await hindrancesNow(ledger, entry);
  if (hindrances.length > 0) return hold(ledger, entry, hindrances);
  if (await ledger.wake(entry.runId)) await start(ledger, entry);
  else await ledger.remove([entry.runId]);
  return true;
}

/** Lets the runs begin that wait for these resources, as long as there is room. */
async function settle(ledger: ControlLedger, resources: readonly ResourceId[]): Promise<void> {
  const lines = [...resources];
  for (let turns = 0; lines.length > 0; turns++) {
    const head = await ledger.headOf(lines.pop() ?? '');
    if (!head) continue;
    if (turns >= MOST_TURNS) await ledger.put({ ...head, due: ledger.now });
    else if (await offerTurn(ledger, head)) lines.push(...resourcesOf(head.demand));
  }
}

async function hindrancesNow(ledger: ControlLedger, { runId, demand }: ControlEntry): Promise<Hindrance[]> {
  const present = presentDemand(demand, ledger.published);
  if (resourcesOf(present).length === 0) return [];
  return hindrancesOf(present, await ledger.standing(runId, present), ledger.now);
}

async function hold(ledger: ControlLedger, entry: ControlEntry, hindrances: readonly Hindrance[]): Promise<false> {
  const [first] = hindrances;
  const due = hindrances.find(({ until }) => until)?.until ?? null;
  const reason = first ? waitSentence(presentDemand(entry.demand, ledger.published), first) : null;
  await ledger.put({ ...entry, state: 'waiting', due, reason });
  return false;
}

async function start(ledger: ControlLedger, entry: ControlEntry): Promise<true> {
  const { rate } = presentDemand(entry.demand, ledger.published);
  if (rate) await ledger.countStart(entry.runId, rate);
  await ledger.put({ ...entry, state: 'admitted', due: null, reason: null });
  return true;
}

async function removeEntry(ledger: ControlLedger, { runId, demand }: ControlEntry): Promise<void> {
  await ledger.remove([runId]);
  await settle(ledger, resourcesOf(demand));
}

async function pauseEntry(ledger: ControlLedger, entry: ControlEntry): Promise<void> {
  if (entry.state !== 'admitted') return;
  const { concurrency } = entry.demand;
  await ledger.put({ ...entry, state: 'paused', demand: concurrency ? { concurrency } : {} });
  if (concurrency) await settle(ledger, [concurrency.resource]);
}

const after = (time: Date, ms: number): Date => new Date(time.getTime() + ms);

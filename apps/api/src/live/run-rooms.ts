import {
  FlowRunRepository,
  isFinal,
  LiveFeed,
  MessageRate,
  stepNameOf,
  StepStates,
  withoutRequestId,
  type FlowRun,
  type StepState,
} from '@millrace/domain';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { LiveSession } from './live-access';
import { LiveOutput } from './live-output';
import { RoomKind, type RoomState } from './room-kind';

// The rooms of runs. A message about a change only says which run changed: the run is read then, so that a client sees
// what is committed, as the REST API shows it.
//
// R1. A client gets at most ten messages a second about a run. The run goes before its steps, the latest step before
//     earlier ones; what is replaced meanwhile is not sent.
// R2. The last state of a run always arrives. Messages between processes may be lost, so a run that has not ended is
//     read every few seconds while somebody watches it.
// R3. A client never learns an older state after a newer one. Runs are read by one statement after the other, also for
//     a client that enters, and it is acknowledged with the state that was read last.

const RATE = { burst: 3, perSecond: 7 };
const READ_AT_ONCE = 200;
const READ_AGAIN_MS = 2_000;
/** How long states of steps that wait are still sent after the end of their run. */
const STEPS_AFTER_END_MS = 1_000;

const PREFIX = 'run:';

class RunRoom {
  readonly rate = new MessageRate(RATE);
  readonly steps = new StepStates();
  /** The run as it was read last. */
  latest: FlowRun | null = null;
  /** The run that waits to be sent. */
  run: FlowRun | null = null;
  /** The run as all clients in the room know it, or a newer one; empty until it is read for the first client. */
  known = '';
  endedAt = Infinity;
  timer: NodeJS.Timeout | null = null;

  constructor(
    readonly id: string,
    /** Resolves when all processes know that the run is watched. */
    readonly watching: Promise<void>,
  ) {}
}

@Injectable()
export class RunRooms extends RoomKind implements OnApplicationShutdown {
  private readonly logger = new Logger(RunRooms.name);
  private readonly rooms = new Map<string, RunRoom>();
  private readonly toRead = new Set<string>();
  private reading: Promise<void> = Promise.resolve();
  /** The next reading, which has not begun. */
  private next: Promise<void> | null = null;
  private readingAgain: NodeJS.Timeout | null = null;

  constructor(
    private readonly runs: FlowRunRepository,
    private readonly feed: LiveFeed,
    private readonly output: LiveOutput,
  ) {
    super();
  }

  override keyOf(name: string): string | null {
    return name.startsWith(PREFIX) ? name.toLowerCase() : null;
  }

  override owns(key: string): boolean {
    return key.startsWith(PREFIX);
  }

  override async admit(key: string, { projectId }: LiveSession): Promise<void> {
    await this.runs.get(idIn(key), [projectId]);
  }

  override opened(key: string): void {
    const id = idIn(key);
    const watching = this.feed.watch(id);
    watching.catch(() => undefined); // `entered` tells the client
    this.rooms.set(id, new RunRoom(id, watching));
    this.readingAgain ??= setInterval(() => this.readAgain(), READ_AGAIN_MS);
  }

  override closed(key: string): void {
    const id = idIn(key);
    const room = this.rooms.get(id);
    if (room?.timer) clearTimeout(room.timer);
    this.rooms.delete(id);
    this.feed.unwatch(id);
    if (this.rooms.size === 0) this.stopReadingAgain();
  }

  /** The client is in the room already, so what follows this reading is sent to it. */
  override async entered(key: string): Promise<() => RoomState> {
    const id = idIn(key);
    await this.rooms.get(id)?.watching;
    this.toRead.add(id);
    await this.readSoon();
    return () => {
      const run = this.rooms.get(id)?.latest;
      return run ? { run } : {};
    };
  }

  onApplicationShutdown(): void {
    this.stopReadingAgain();
    for (const { timer } of this.rooms.values()) if (timer) clearTimeout(timer);
  }

  /** Something of these runs has changed. Runs that nobody here watches are passed over. */
  runsChanged(runIds: readonly string[]): void {
    for (const id of runIds) if (this.rooms.has(id)) this.toRead.add(id);
    if (this.toRead.size === 0) return;
    this.readSoon().catch((error: unknown) =>
      this.logger.debug(`Watched runs could not be read, they are read again: ${String(error)}`),
    );
  }

  /** Any of the runs may have changed. */
  allChanged(): void {
    this.runsChanged([...this.rooms.keys()]);
  }

  stepChanged(runId: string, step: StepState): void {
    const room = this.rooms.get(runId);
    if (!room) return;
    room.steps.add(step);
    this.send(room);
  }

  /** Readings follow one another. Runs that change while one is under way are read by the next, together. */
  private readSoon(): Promise<void> {
    if (this.next) return this.next;
    const next = this.reading.then(() => {
      this.next = null;
      return this.read();
    });
    this.next = next;
    this.reading = next.catch(() => undefined);
    return next;
  }

  private async read(): Promise<void> {
    const ids = [...this.toRead];
    this.toRead.clear();
    try {
      while (ids.length > 0) {
        for (const run of await this.runs.findAll(ids.slice(0, READ_AT_ONCE))) this.show(withoutRequestId(run));
        ids.splice(0, READ_AT_ONCE);
      }
    } finally {
      // What could not be read is read with the next runs.
      for (const id of ids) if (this.rooms.has(id)) this.toRead.add(id);
    }
  }

  private readAgain(): void {
    const open = [...this.rooms.values()].filter(({ endedAt }) => endedAt === Infinity);
    this.runsChanged(open.map(({ id }) => id));
  }

  private show(run: FlowRun): void {
    const room = this.rooms.get(run.id);
    if (!room) return;
    room.latest = run;
    // Nobody in the room knows the run yet: each client is told by its acknowledgement.
    if (room.known === '') return this.noteKnown(room, run);
    if (JSON.stringify(run) === room.known) return;
    room.run = run;
    this.send(room);
  }

  private send(room: RunRoom): void {
    while (room.run ?? !room.steps.isEmpty) {
      const now = performance.now();
      if (now > room.endedAt + STEPS_AFTER_END_MS) room.steps.clear();
      if (!room.run && room.steps.isEmpty) return;
      if (!room.rate.take(now)) return this.sendLater(room, room.rate.waitMs(now));
      this.sendOne(room);
    }
  }

  private sendLater(room: RunRoom, ms: number): void {
    room.timer ??= setTimeout(() => {
      room.timer = null;
      if (this.rooms.get(room.id) === room) this.send(room);
    }, ms);
  }

  private sendOne(room: RunRoom): void {
    const { id, run } = room;
    const key = `${PREFIX}${id}`;
    if (run) {
      room.run = null;
      this.noteKnown(room, run);
      return this.output.send(key, 'flow_run.updated', run);
    }
    const step = room.steps.takeLatest();
    if (step) this.output.send(key, 'flow_run.step', { runId: id, stepName: stepNameOf(step.path), ...step });
  }

  private noteKnown(room: RunRoom, run: FlowRun): void {
    room.known = JSON.stringify(run);
    room.endedAt = isFinal(run.status) ? Math.min(room.endedAt, performance.now()) : Infinity;
  }

  private stopReadingAgain(): void {
    if (this.readingAgain) clearInterval(this.readingAgain);
    this.readingAgain = null;
  }
}

const idIn = (key: string): string => key.slice(PREFIX.length);

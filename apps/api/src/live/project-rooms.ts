import {
  FlowRunRepository,
  LiveFeed,
  MessageRate,
  NEWEST_RUNS,
  RunChanges,
  withoutRequestId,
  type ChangedFlow,
  type FlowRun,
  type LiveChanges,
  type ProjectChanges,
} from '@millrace/domain';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { LiveSession } from './live-access';
import { LiveOutput } from './live-output';
import { RoomKind, type RoomState } from './room-kind';

// The rooms of projects. However many runs of a project change, its clients get one summary a second, and this process
// reads at most 50 rows for it.

const SUMMARY_EVERY_MS = 1_000;
const FLOWS_RATE = { burst: 3, perSecond: 7 };
/** How many changed flows wait to be sent. */
const MOST_FLOWS = 1_000;

const NAME = 'project';
const PREFIX = 'project:';

class ProjectRoom {
  readonly runs = new RunChanges();
  readonly flows = new Map<string, ChangedFlow>();
  readonly rate = new MessageRate(FLOWS_RATE);
  sentAt = -Infinity;
  summaryTimer: NodeJS.Timeout | null = null;
  flowsTimer: NodeJS.Timeout | null = null;

  constructor(
    readonly projectId: string,
    readonly watching: Promise<void>,
  ) {}

  close(): void {
    if (this.summaryTimer) clearTimeout(this.summaryTimer);
    if (this.flowsTimer) clearTimeout(this.flowsTimer);
  }
}

@Injectable()
export class ProjectRooms extends RoomKind implements OnApplicationShutdown {
  private readonly logger = new Logger(ProjectRooms.name);
  private readonly rooms = new Map<string, ProjectRoom>();

  constructor(
    private readonly runs: FlowRunRepository,
    private readonly feed: LiveFeed,
    private readonly output: LiveOutput,
  ) {
    super();
  }

  override keyOf(name: string, { projectId }: LiveSession): string | null {
    return name === NAME ? `${PREFIX}${projectId}` : null;
  }

  override owns(key: string): boolean {
    return key.startsWith(PREFIX);
  }

  /** The project of the session is checked for every message. */
  override admit(): Promise<void> {
    return Promise.resolve();
  }

  override opened(key: string): void {
    const projectId = idIn(key);
    const watching = this.feed.watch(projectId);
    watching.catch(() => undefined); // `entered` tells the client
    this.rooms.set(projectId, new ProjectRoom(projectId, watching));
  }

  override closed(key: string): void {
    const projectId = idIn(key);
    this.rooms.get(projectId)?.close();
    this.rooms.delete(projectId);
    this.feed.unwatch(projectId);
  }

  override async entered(key: string): Promise<() => RoomState> {
    await this.rooms.get(idIn(key))?.watching;
    return () => ({});
  }

  onApplicationShutdown(): void {
    for (const room of this.rooms.values()) room.close();
  }

  runsChanged({ projectId, counts, runIds }: ProjectChanges): void {
    const room = this.rooms.get(projectId);
    if (!room) return;
    room.runs.merge(counts, runIds);
    this.summarizeSoon(room);
  }

  /** Runs of unknown projects have changed: their rows say which. A missing status is not counted. */
  async unplacedChanged(unplaced: LiveChanges['unplaced']): Promise<void> {
    if (this.rooms.size === 0 || unplaced.length === 0) return;
    const statuses = new Map(unplaced.map(({ id, status }) => [id, status]));
    for (const { id, projectId } of await this.read([...statuses.keys()])) {
      const status = statuses.get(id);
      this.runsChanged({ projectId, counts: status ? { [status]: 1 } : {}, runIds: [id] });
    }
  }

  /** These runs were stopped, or failed with a child. */
  async stopped(runIds: readonly string[]): Promise<void> {
    if (this.rooms.size === 0) return;
    for (const { id, projectId, status } of await this.read(runIds))
      this.runsChanged({ projectId, counts: { [status]: 1 }, runIds: [id] });
  }

  /** Changes may have been missed. */
  async allChanged(): Promise<void> {
    for (const { projectId } of this.rooms.values()) {
      this.runsChanged({ projectId, counts: {}, runIds: await this.newestIn(projectId) });
    }
  }

  flowChanged(flow: ChangedFlow): void {
    const room = this.rooms.get(flow.projectId);
    if (!room) return;
    room.flows.delete(flow.id);
    if (room.flows.size < MOST_FLOWS) room.flows.set(flow.id, flow);
    this.sendFlows(room);
  }

  /** The first change after a quiet second is shown at once. */
  private summarizeSoon(room: ProjectRoom): void {
    if (room.runs.isEmpty) return;
    const ms = room.sentAt + SUMMARY_EVERY_MS - performance.now();
    room.summaryTimer ??= setTimeout(() => void this.summarize(room), Math.max(0, ms));
  }

  private async summarize(room: ProjectRoom): Promise<void> {
    const { projectId } = room;
    const { counts, runIds } = room.runs.take();
    const runs = (await this.read(runIds)).filter((run) => run.projectId === projectId);
    room.summaryTimer = null;
    if (this.rooms.get(projectId) !== room) return;
    room.sentAt = performance.now();
    runs.sort((a, b) => (a.id < b.id ? 1 : -1));
    this.output.send(`${PREFIX}${projectId}`, 'flow_runs.summary', { projectId, counts, runs });
    this.summarizeSoon(room);
  }

  /** None when they cannot be read now: the next change brings the rows. */
  private async newestIn(projectId: string): Promise<string[]> {
    try {
      const { data } = await this.runs.list({ projectId }, { limit: NEWEST_RUNS, cursor: null });
      return data.map(({ id }) => id);
    } catch (error) {
      this.logger.debug(`The newest runs could not be read: ${String(error)}`);
      return [];
    }
  }

  /** Without rows when they cannot be read now: the counts are right all the same. */
  private async read(runIds: readonly string[]): Promise<FlowRun[]> {
    try {
      return (await this.runs.findAll(runIds)).map(withoutRequestId);
    } catch (error) {
      this.logger.debug(`Changed runs could not be read: ${String(error)}`);
      return [];
    }
  }

  private sendFlows(room: ProjectRoom): void {
    for (const flow of room.flows.values()) {
      const now = performance.now();
      if (!room.rate.take(now)) return this.sendFlowsLater(room, room.rate.waitMs(now));
      room.flows.delete(flow.id);
      this.output.send(`${PREFIX}${room.projectId}`, 'flow.updated', flow);
    }
  }

  private sendFlowsLater(room: ProjectRoom, ms: number): void {
    room.flowsTimer ??= setTimeout(() => {
      room.flowsTimer = null;
      this.sendFlows(room);
    }, ms);
  }
}

const idIn = (key: string): string => key.slice(PREFIX.length);

import {
  LiveUpdates,
  RunChanges,
  StepStates,
  Watchers,
  type ChangedFlow,
  type ChangedRun,
  type LiveChanges,
  type StepState,
  type WatchNotice,
} from '@millrace/domain';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Pool } from 'pg';
import { ListeningConnection } from '../postgres/listening-connection';
import { noticePayloads } from '../postgres/notice-payloads';
import { ASKED, CHANGED, elementsOf, NOTIFY, WATCHED } from './live-notices';

/** A process whose clients watch something says so every 10 s. */
export const SILENT_AFTER_MS = 30_000;
const FORGET_EVERY_MS = 5_000;
/** How often runs, steps and flows are published at most. A client gets at most ten messages a second about a run. */
const PUBLISH_EVERY_MS = 50;
/** How often the runs of projects are published at most. A client gets one message a second about them. */
const PROJECTS_EVERY_MS = 250;
/** A client gets no more than this of one run between two publications. */
const STEPS_AT_ONCE = 10;
/** How many runs of unknown projects, and flows, are published at once. More are left out. */
const OTHERS_AT_ONCE = 1_000;

/**
 * Publishes changes by NOTIFY. It knows from other notifications what is watched, and keeps that in memory; while
 * nothing is watched no statement is sent. Changes of the same thing between two publications become one.
 */
@Injectable()
export class PostgresLiveUpdates extends LiveUpdates implements OnApplicationBootstrap, OnApplicationShutdown {
  override isWatched = false;
  private readonly logger = new Logger(PostgresLiveUpdates.name);
  private readonly watchers = new Watchers(SILENT_AFTER_MS);
  private readonly listeners: ((ids: readonly string[]) => void)[] = [];
  private readonly runIds = new Set<string>();
  private readonly unplaced = new Map<string, ChangedRun['status']>();
  private readonly steps = new Map<string, StepStates>();
  private readonly flows = new Map<string, ChangedFlow>();
  private readonly projects = new Map<string, RunChanges>();
  private isPublishing = false;
  private due: { at: number; timer: NodeJS.Timeout } | null = null;
  private forgetting: NodeJS.Timeout | null = null;
  private publishedAt = 0;
  private projectsPublishedAt = 0;

  constructor(
    private readonly pool: Pool,
    private readonly connection: ListeningConnection,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.connection.on(WATCHED, (payload) => this.hear(payload));
  }

  onApplicationShutdown(): void {
    if (this.due) clearTimeout(this.due.timer);
    if (this.forgetting) clearInterval(this.forgetting);
    this.isWatched = false;
  }

  override runChanged({ id, projectId, status }: ChangedRun): void {
    if (projectId === null) return this.noteUnplaced(id, status);
    if (this.watchers.has(id)) this.note(() => this.runIds.add(id));
    if (this.watchers.has(projectId)) this.noteInProject(projectId, id, status);
  }

  override stepChanged(runId: string, step: StepState): void {
    if (!this.watchers.has(runId)) return;
    this.note(() => {
      const ofRun = this.steps.get(runId) ?? new StepStates();
      ofRun.add(step);
      this.steps.set(runId, ofRun);
    });
  }

  override flowChanged(flow: ChangedFlow): void {
    if (this.watchers.has(flow.projectId) && this.flows.size < OTHERS_AT_ONCE)
      this.note(() => this.flows.set(flow.id, flow));
  }

  override whenWatched(listener: (ids: readonly string[]) => void): void {
    this.listeners.push(listener);
  }

  /** Null means that notifications may have been missed. */
  private hear(payload: string | null): void {
    if (payload === null) {
      this.watchers.clear();
      void this.notify(ASKED, ['']);
    } else {
      this.take(JSON.parse(payload) as WatchNotice);
    }
    this.lookWhetherWatched();
  }

  private take(notice: WatchNotice): void {
    const added = notice.added.filter((id) => !this.watchers.has(id));
    this.watchers.hear(notice, performance.now());
    this.isWatched = !this.watchers.isEmpty;
    if (added.length > 0) for (const listener of this.listeners) listener(added);
  }

  private lookWhetherWatched(): void {
    this.isWatched = !this.watchers.isEmpty;
    if (this.isWatched) {
      this.forgetting ??= setInterval(() => {
        this.watchers.forgetSilent(performance.now());
        this.lookWhetherWatched();
      }, FORGET_EVERY_MS);
    } else if (this.forgetting) {
      clearInterval(this.forgetting);
      this.forgetting = null;
    }
  }

  private noteUnplaced(id: string, status: ChangedRun['status']): void {
    if (this.unplaced.size < OTHERS_AT_ONCE) this.note(() => this.unplaced.set(id, status ?? this.unplaced.get(id)));
  }

  private noteInProject(projectId: string, id: string, status: ChangedRun['status']): void {
    const changes = this.projects.get(projectId) ?? new RunChanges();
    changes.add(id, status);
    this.projects.set(projectId, changes);
    this.publishAt(this.projectsPublishedAt + PROJECTS_EVERY_MS);
  }

  private note(change: () => void): void {
    change();
    this.publishAt(this.publishedAt + PUBLISH_EVERY_MS);
  }

  /** The first change after a quiet time is published at once, together with the others of this turn. */
  private publishAt(at: number): void {
    if (this.isPublishing || (this.due && this.due.at <= at)) return;
    if (this.due) clearTimeout(this.due.timer);
    this.due = { at, timer: setTimeout(() => void this.publish(), Math.max(0, at - performance.now())) };
  }

  private async publish(): Promise<void> {
    this.due = null;
    this.isPublishing = true;
    await this.notify(CHANGED, noticePayloads(elementsOf(this.takeChanges())));
    this.isPublishing = false;
    if (this.runIds.size + this.unplaced.size + this.steps.size + this.flows.size > 0)
      this.publishAt(this.publishedAt + PUBLISH_EVERY_MS);
    if (this.projects.size > 0) this.publishAt(this.projectsPublishedAt + PROJECTS_EVERY_MS);
  }

  private takeChanges(): LiveChanges {
    this.publishedAt = performance.now();
    const steps = [...this.steps].flatMap(([runId, ofRun]) =>
      ofRun.takeAll(STEPS_AT_ONCE).map((step) => ({ runId, ...step })),
    );
    const unplaced = [...this.unplaced].map(([id, status]) => ({ id, ...(status && { status }) }));
    const flows = [...this.flows.values()];
    const changes = { runIds: [...this.runIds], unplaced, steps, flows, projects: this.takeProjects() };
    for (const taken of [this.runIds, this.unplaced, this.steps, this.flows]) taken.clear();
    return changes;
  }

  private takeProjects(): LiveChanges['projects'] {
    if (performance.now() < this.projectsPublishedAt + PROJECTS_EVERY_MS) return [];
    this.projectsPublishedAt = performance.now();
    const taken = [...this.projects].map(([projectId, changes]) => ({ projectId, ...changes.take() }));
    this.projects.clear();
    return taken;
  }

  /** A watcher reads the runs now and then, so what cannot be published now is dropped. */
  private async notify(channel: string, payloads: readonly string[]): Promise<void> {
    if (payloads.length === 0) return;
    try {
      await this.pool.query({ name: 'notify-live', text: NOTIFY, values: [channel, payloads] });
    } catch (error) {
      this.logger.debug(`Live updates could not be published: ${String(error)}`);
    }
  }
}

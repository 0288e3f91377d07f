import { Injectable } from '@nestjs/common';
import { FlowChanges, FlowVersionReader, takesWebhooks, type TriggeredFlow, type WebhookCheck } from '@millrace/domain';
import { LRUCache } from 'lru-cache';
import { WebhookChecks } from '../verification/webhook-checks';

const MAX_FLOWS = 10_000;
const MAX_KNOWN_PROJECTS = 100_000;
/** The greatest age of an entry, in case a notification was lost, and of the value of a connection that a check names. */
const TIME_TO_LIVE_MS = 10_000;

/** A flow with what its webhooks must prove; null when there is nothing to check. */
export interface PublishedWebhook extends TriggeredFlow {
  check: WebhookCheck | null;
}

/** The trigger of a package checks its senders itself. */
const hasCheck = (flow: TriggeredFlow): boolean => takesWebhooks(flow) && !flow.packageWebhook;

/**
 * A cache of published versions. A change of a flow in any process drops its entry. Only enabled flows are kept, so
 * that a flow takes webhooks as soon as it is published or enabled.
 */
@Injectable()
export class PublishedFlows {
  private readonly cache = new LRUCache<string, PublishedWebhook>({ max: MAX_FLOWS, ttl: TIME_TO_LIVE_MS });
  /** A flow never changes its project, so this needs no limit of time. */
  private readonly projects = new LRUCache<string, string>({ max: MAX_KNOWN_PROJECTS });
  /** Counts changes. A flow that was loaded while a change arrived may be outdated, so it is not kept. */
  private changes = 0;

  constructor(
    private readonly flows: FlowVersionReader,
    private readonly checks: WebhookChecks,
    flowChanges: FlowChanges,
  ) {
    flowChanges.subscribe((flowId) => this.drop(flowId));
  }

  async find(flowId: string): Promise<PublishedWebhook | null> {
    const known = this.cache.get(flowId);
    if (known) return known;
    const changesBefore = this.changes;
    const found = await this.flows.findPublished(flowId);
    if (found) this.projects.set(flowId, found.projectId);
    const flow = found && { ...found, check: hasCheck(found) ? await this.checks.of(found) : null };
    if (flow?.status === 'ENABLED' && !flow.enablingWebhook && this.changes === changesBefore)
      this.cache.set(flowId, flow);
    return flow;
  }

  /** Returns the project of a flow that was found before, without a query. */
  projectOf(flowId: string): string | undefined {
    return this.projects.get(flowId.toLowerCase());
  }

  private drop(flowId: string | null): void {
    this.changes++;
    if (flowId === null) this.cache.clear();
    else this.cache.delete(flowId);
  }
}

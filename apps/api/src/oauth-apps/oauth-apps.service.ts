import { AuditLog, Clock, OAuthApps, type OAuthApp } from '@millrace/domain';
import { publicUrl } from '@millrace/http';
import { newId } from '@millrace/persistence';
import { Inject, Injectable } from '@nestjs/common';
import type { Upserted } from '../rest/upsert-answer';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import type { OAuthAppDto, OAuthAppListDto, UpsertOAuthAppDto } from './oauth-app.dto';

/** Keeps the apps that administrators have registered with the providers of pieces. */
@Injectable()
export class OAuthAppsService {
  constructor(
    private readonly apps: OAuthApps,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    @Inject(API_SETTINGS) private readonly settings: Pick<ApiSettings, 'SVC_PUBLIC_URL' | 'SVC_HOST' | 'SVC_PORT'>,
  ) {}

  async list(): Promise<OAuthAppListDto> {
    return { data: (await this.apps.list()).map((app) => this.shown(app)) };
  }

  async upsert({
    pieceName,
    clientId,
    clientSecret,
    webhookSecret,
  }: UpsertOAuthAppDto): Promise<Upserted<OAuthAppDto>> {
    const [id, now] = [newId(), this.clock.now()];
    const secrets = { clientSecret, webhookSecret: webhookSecret ?? null };
    const app = await this.apps.upsert({ id, pieceName, clientId, created: now, updated: now }, secrets);
    await this.audited('oauth_app.upserted', app);
    return { thing: this.shown(app), isNew: app.id === id };
  }

  async delete(pieceName: string): Promise<void> {
    await this.audited('oauth_app.deleted', await this.apps.delete(pieceName));
  }

  private shown(app: OAuthApp): OAuthAppDto {
    return { ...app, webhookUrl: appEventsUrl(publicUrl(this.settings), app.pieceName) };
  }

  private audited(
    action: 'oauth_app.upserted' | 'oauth_app.deleted',
    { pieceName, clientId }: OAuthApp,
  ): Promise<void> {
    const target = { targetType: 'oauth_app', targetId: pieceName } as const;
    return this.audit.record({ projectId: null, action, ...target, details: { clientId } });
  }
}

/** Where the provider of a piece sends the events of its app. */
export const appEventsUrl = (base: string, pieceName: string): string =>
  `${base.replace(/\/+$/, '')}/api/v1/app-events/${encodeURIComponent(pieceName).replaceAll('%40', '@')}`;

import { createHash } from 'node:crypto';
import {
  AppEvents,
  BoundedLines,
  EntityNotFoundError,
  InvalidRequestError,
  InvalidWebhookSignatureError,
  NO_PROJECT,
  OAuthApps,
  ServiceUnavailableError,
  type OAuthApp,
  type PieceAnswer,
  type PieceRef,
  type ReadEvent,
  type TriggerPayload,
} from '@millrace/domain';
import { publicUrl } from '@millrace/http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { appEventsUrl } from '../oauth-apps/oauth-apps.service';
import { PackageQuestions } from '../pieces/package-questions';
import { PiecesService } from '../pieces/pieces.service';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import { eventPayload, type ArrivedEvent } from './event-payload';
import { VerificationsUnderWay } from './verifications-under-way';

const RETRY_AFTER_SECONDS = 10;
const MOST_LINES_A_SECOND = 1;
const MOST_UNDER_WAY = { ofKnown: 40, ofStrangers: 20, ofStranger: 5 };

/** What the provider of an app is answered. */
export type AppReply = NonNullable<ReadEvent['reply']>;

type EventSettings = Pick<ApiSettings, 'SVC_PUBLIC_URL' | 'SVC_HOST' | 'SVC_PORT' | 'SVC_PIECE_PACKAGES'>;

const TAKES_EVENTS = 'that takes events: that needs its webhookSecret, and an installed package';
const NO_REPLY: AppReply = { headers: {}, body: {} };

/** Takes the requests that the providers of apps send, has packages verify them, and starts runs of their events. */
@Injectable()
export class AppEventsService {
  private readonly logger = new Logger(AppEventsService.name);
  private readonly failed = new BoundedLines<{ pieceName: string }>(
    {
      write: (event) => this.logger.warn({ msg: 'An event of an app cannot be verified.', ...event }),
      leftOut: (leftOut) => this.logger.warn({ msg: 'Further events of apps cannot be verified.', leftOut }),
    },
    MOST_LINES_A_SECOND,
  );
  private readonly underWay = new VerificationsUnderWay(MOST_UNDER_WAY);

  constructor(
    private readonly apps: OAuthApps,
    private readonly pieces: PiecesService,
    private readonly questions: PackageQuestions,
    private readonly events: AppEvents,
    @Inject(API_SETTINGS) private readonly settings: EventSettings,
  ) {}

  /**
   * Starts the runs of the event, which are on the disk when this resolves. A GET, of which nothing is signed, starts none.
   * Throws EntityNotFoundError where no app takes
   * events, InvalidWebhookSignatureError, InvalidRequestError, RateLimitedError and ServiceUnavailableError.
   */
  async receive(pieceName: string, address: string, request: ArrivedEvent): Promise<AppReply> {
    const { app, piece } = await this.find(pieceName);
    const { asked, stored } = eventPayload(request);
    const isSigned = request.method !== 'GET';
    const read = await this.underWay.during(app.pieceName, address, () => this.read(app, piece, asked), isSigned);
    if (read.event) {
      const { name: event, identifierValue } = read.event;
      const key = createHash('sha256').update(request.rawBody).digest('base64url');
      await this.events.publish({ pieceName: app.pieceName, event, identifierValue, key, payload: stored });
    }
    return read.reply ?? NO_REPLY;
  }

  /** A stranger may ask, so the sentence is the same whatever is missing. */
  private async find(pieceName: string): Promise<{ app: OAuthApp; piece: PieceRef }> {
    const isOff = this.settings.SVC_PIECE_PACKAGES === 'off';
    const app = isOff ? null : await this.apps.find(pieceName);
    const piece = app?.hasWebhookSecret ? await this.pieces.newestInstalled(pieceName) : null;
    if (app && piece) return { app, piece };
    throw new EntityNotFoundError('oauth_app', pieceName, TAKES_EVENTS);
  }

  private async read(app: OAuthApp, piece: PieceRef, payload: TriggerPayload): Promise<ReadEvent> {
    const { webhookSecret } = await this.apps.secretsOf(app);
    if (webhookSecret === null) throw new InvalidWebhookSignatureError();
    const url = publicUrl(this.settings);
    const answer = await this.questions.ask(NO_PROJECT, {
      ...{ kind: 'EVENT', piece },
      request: {
        ...{ payload, webhookSecret, webhookUrl: appEventsUrl(url, app.pieceName) },
        publicUrl: `${url.replace(/\/+$/, '')}/api/`,
      },
    });
    if ('problem' in answer && answer.isOurs) throw this.unverified(app);
    return readEventOf(answer);
  }

  /** Anybody may send an event, so the answer does not tell what of this installation is in trouble. */
  private unverified({ pieceName }: OAuthApp): ServiceUnavailableError {
    this.failed.add({ pieceName });
    return new ServiceUnavailableError('Events of this app cannot be verified at the moment.', RETRY_AFTER_SECONDS);
  }
}

function readEventOf(answer: PieceAnswer): ReadEvent {
  if ('problem' in answer)
    throw new InvalidRequestError([{ path: '', message: `could not be read by the piece: ${answer.problem}` }]);
  if (answer.value === null) throw new InvalidWebhookSignatureError();
  return answer.value as ReadEvent;
}

import { IgnoresQuery, Public, TakesFiles } from '@millrace/http';
import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppEventsService, type AppReply } from './app-events.service';

const MAX_EVENT_BYTES = 1024 * 1024;
const ANY = { schema: {} } as const;
const REPLY = { 'application/json': ANY, 'text/plain': { schema: { type: 'string' as const } } };
/** A package chooses the answer, so none may be a page of this service's origin. */
const HARMLESS_TYPE = /^(?:application\/json|text\/plain)\s*(?:;|$)/i;

@ApiTags('webhooks')
@IgnoresQuery() // only the package knows which query its provider sends
@Controller('api/v1/app-events')
export class AppEventsController {
  constructor(private readonly events: AppEventsService) {}

  /**
   * Takes an event of an app from its provider. The package of the piece verifies it with the app's webhook secret, and
   * each flow that listens gets a run. The status 200 means that the runs are on the disk; the same body within 24 hours
   * starts none again.
   */
  @Public()
  @Post(':pieceName')
  @HttpCode(200)
  @TakesFiles(MAX_EVENT_BYTES)
  @ApiConsumes('application/json', 'application/x-www-form-urlencoded')
  @ApiBody({ schema: {} })
  @ApiOkResponse({
    description: 'What the provider wants to be answered, such as its challenge.',
    content: REPLY,
  })
  receive(
    @Param('pieceName') pieceName: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return this.ask(pieceName, request, reply);
  }

  /**
   * Answers a provider that asks by GET whether the URL is right, such as with `hub.challenge`. The package of the piece
   * has the reply; 401 when it has none. Nothing of the request is signed, so it starts no run.
   */
  @Public()
  @Get(':pieceName')
  @ApiOkResponse({ description: 'What the provider wants to be answered.', content: REPLY })
  confirm(
    @Param('pieceName') pieceName: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return this.ask(pieceName, request, reply);
  }

  private async ask(pieceName: string, request: FastifyRequest, reply: FastifyReply): Promise<string> {
    const { method, headers, query, rawBody = Buffer.alloc(0) } = request;
    const queryParams = query as Readonly<Record<string, unknown>>;
    return sent(await this.events.receive(pieceName, request.ip, { method, headers, queryParams, rawBody }), reply);
  }
}

function sent({ headers, body }: AppReply, reply: FastifyReply): string {
  const named = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const usual = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
  reply.header('content-type', HARMLESS_TYPE.test(named) ? named : usual);
  return typeof body === 'string' ? body : JSON.stringify(body ?? {});
}

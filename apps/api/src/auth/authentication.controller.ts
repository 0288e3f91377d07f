import { InvalidBearerTokenError } from '@millrace/domain';
import { Public } from '@millrace/http';
import { Body, Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import { AuthenticationService } from './authentication.service';
import { sessionCookieOf, setSessionCookie } from './session-cookie';
import { Sessions, type SignedIn } from './sessions';
import { RefreshTokenDto, SignedInDto, SignInDto, SignUpDto, type SessionKind } from './sign-in.dto';
import { SignUpService } from './sign-up.service';

const NO_TOKEN = 'Neither the body nor a cookie has a refresh token.';

@ApiTags('authentication')
@Controller('api/v1/authentication')
export class AuthenticationController {
  private readonly publicOrigin: string | null;

  constructor(
    private readonly authentication: AuthenticationService,
    private readonly signUps: SignUpService,
    private readonly sessions: Sessions,
    @Inject(API_SETTINGS) { SVC_PUBLIC_URL: url }: Pick<ApiSettings, 'SVC_PUBLIC_URL'>,
  ) {
    this.publicOrigin = url === undefined ? null : new URL(url).origin;
  }

  /**
   * Makes a user and signs in. The first user becomes the administrator of the platform; later ones need an invitation,
   * unless sign-up is open.
   */
  @Public()
  @Post('sign-up')
  async signUp(
    @Body() body: SignUpDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedInDto> {
    const signedIn = await this.signUps.signUp(body, body.invitationToken ?? null, request.ip);
    return this.answered(signedIn, body.session, request, reply);
  }

  /** Answers tokens for an e-mail address and a password. */
  @Public()
  @Post('sign-in')
  @HttpCode(200)
  async signIn(
    @Body() body: SignInDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedInDto> {
    const signedIn = await this.authentication.signIn(body.email, body.password, request.ip);
    return this.answered(signedIn, body.session, request, reply);
  }

  /**
   * Exchanges a refresh token for new tokens. Each can be exchanged once; the same client may repeat that for 10
   * seconds. A later use ends the session.
   */
  @Public()
  @Post('refresh')
  @ApiBody({ type: RefreshTokenDto, required: false })
  @HttpCode(200)
  async refresh(
    @Body() body: RefreshTokenDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedInDto> {
    const inCookie = body.refreshToken ? null : sessionCookieOf(request, this.publicOrigin);
    const token = body.refreshToken || inCookie;
    if (!token) throw new InvalidBearerTokenError(NO_TOKEN);
    const client = { address: request.ip, program: request.headers['user-agent'] ?? '' };
    return this.answered(await this.sessions.refresh(token, client), inCookie ? 'cookie' : 'token', request, reply);
  }

  /** Ends the session of a refresh token. Its access tokens stay valid for the rest of their 15 minutes. */
  @Public()
  @Post('sign-out')
  @ApiBody({ type: RefreshTokenDto, required: false })
  @HttpCode(204)
  async signOut(
    @Body() body: RefreshTokenDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const inCookie = body.refreshToken ? null : sessionCookieOf(request, this.publicOrigin);
    const token = body.refreshToken || inCookie;
    if (!token) throw new InvalidBearerTokenError(NO_TOKEN);
    await this.sessions.end(token);
    if (inCookie) setSessionCookie(request, reply, null, this.publicOrigin);
  }

  private answered(
    signedIn: SignedIn,
    kind: SessionKind | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): SignedInDto {
    if (kind !== 'cookie') return signedIn;
    setSessionCookie(request, reply, signedIn.refreshToken, this.publicOrigin);
    return { ...signedIn, refreshToken: null };
  }
}

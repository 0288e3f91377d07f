import { InvalidRequestError, OutboundFailure } from '@millrace/domain';
import { AddressGuard } from '@millrace/http';
import { Injectable } from '@nestjs/common';

const NOT_VALID = 'is not a valid URL.';
const NEEDS_HTTPS = 'must begin with https, unless its address is on the list SVC_SSRF_ALLOW_LIST.';
const WITH_CREDENTIALS = 'must not contain a user name or a password.';
const CLOSED = 'is not allowed: it is an address inside a network, and not on the list SVC_SSRF_ALLOW_LIST.';

/** Refuses URLs that no event would be sent to. The rules hold again at every attempt, because names change. */
@Injectable()
export class DestinationUrls {
  constructor(private readonly guard: AddressGuard) {}

  /** Throws InvalidRequestError. */
  async assertAllowed(text: string): Promise<void> {
    const message = await this.problemOf(text);
    if (message !== null) throw new InvalidRequestError([{ path: '/url', message }]);
  }

  private async problemOf(text: string): Promise<string | null> {
    if (!URL.canParse(text)) return NOT_VALID;
    const url = new URL(text);
    if (url.username !== '' || url.password !== '') return WITH_CREDENTIALS;
    if (url.protocol === 'https:') return (await this.isRefused(url)) ? CLOSED : null;
    return url.protocol === 'http:' && (await this.isListed(url)) ? null : NEEDS_HTTPS;
  }

  /** A name that cannot be found now may be known later. */
  private async isRefused({ hostname, port }: URL): Promise<boolean> {
    try {
      await this.guard.resolve(hostname, Number(port) || 443);
      return false;
    } catch (error) {
      return failureOf(error).reason === 'refused';
    }
  }

  private async isListed({ hostname, port }: URL): Promise<boolean> {
    try {
      return await this.guard.isListed(hostname, Number(port) || 80);
    } catch (error) {
      failureOf(error);
      return false;
    }
  }
}

function failureOf(error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  throw error;
}

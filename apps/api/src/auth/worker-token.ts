import { Inject, Injectable } from '@nestjs/common';
import { createHash, timingSafeEqual } from 'node:crypto';
import { API_SETTINGS, type ApiSettings } from '../settings/config';

/** Knows the token that workers and the api share. */
@Injectable()
export class WorkerToken {
  private readonly digest: Buffer;

  constructor(@Inject(API_SETTINGS) settings: Pick<ApiSettings, 'SVC_WORKER_TOKEN'>) {
    this.digest = digestOf(settings.SVC_WORKER_TOKEN);
  }

  /** Takes the same time for every wrong token. */
  equals(token: string): boolean {
    return timingSafeEqual(digestOf(token), this.digest);
  }
}

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

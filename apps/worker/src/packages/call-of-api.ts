import type { PackageCall } from '@millrace/pieces';

/** A call of a package with its token for our API. */
export interface CallOfApi extends PackageCall {
  readonly token: string;
}

/** What a request of a call is answered. */
export interface InnerAnswer {
  readonly status: number;
  readonly json: Buffer | string;
}

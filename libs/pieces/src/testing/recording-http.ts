import { OutboundHttp, type OutboundAnswer, type OutboundRequest } from '@millrace/domain';

/** Gives the same answer to every request and keeps the requests. */
export class RecordingHttp extends OutboundHttp {
  readonly requests: OutboundRequest[] = [];
  answer: () => Promise<OutboundAnswer> = () => Promise.resolve(anAnswer());

  get last(): OutboundRequest {
    const request = this.requests.at(-1);
    if (!request) throw new Error('Nothing was sent.');
    return request;
  }

  override send(request: OutboundRequest): Promise<OutboundAnswer> {
    this.requests.push(request);
    return this.answer();
  }
}

/** An answer with a body of text, or of bytes. */
export const anAnswer = ({
  body = '',
  ...rest
}: Partial<Omit<OutboundAnswer, 'body'>> & { body?: string | Uint8Array } = {}): OutboundAnswer => ({
  status: 200,
  headers: {},
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
  ...rest,
});

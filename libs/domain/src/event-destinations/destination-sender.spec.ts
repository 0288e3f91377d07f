import { OutboundFailure, OutboundHttp, type OutboundAnswer, type OutboundRequest } from '../outbound/outbound-http';
import { HandDrivenClock } from '../testing/hand-driven-clock';
import { DestinationSender } from './destination-sender';
import { RETRY_DELAYS_MS } from './delivery-rules';
import { DueEvents, type DestinationClaim, type DueEvent, type SettledAttempt } from './due-events';
import type { EventTarget } from './event-destination';

const CLAIM: DestinationClaim = { destinationId: 'd', projectId: 'p', epoch: 1 };
const TARGET: EventTarget = { projectId: 'p', url: 'https://events.example/hook', secret: 'whsec_c2VjcmV0' };

/** The deliveries of one destination. Its claim always holds. */
class DeliveriesInMemory extends DueEvents {
  readonly settled: SettledAttempt[] = [];
  released = 0;
  readonly asked: number[] = [];
  private readonly waiting = new Map<string, { event: DueEvent; due: Date }>();

  constructor(due: Date, count: number) {
    super();
    for (let i = 0; i < count; i++) {
      const deliveryId = `delivery-${i}`;
      this.waiting.set(deliveryId, { event: { deliveryId, eventId: `event-${i}`, body: '{}', attempts: 0 }, due });
    }
  }

  claim = () => Promise.resolve([CLAIM]);
  open = () => Promise.resolve<EventTarget | null>(TARGET);

  find(_claim: DestinationClaim, now: Date, limit: number, besides: readonly string[]): Promise<DueEvent[]> {
    this.asked.push(limit);
    const due = [...this.waiting.values()].filter(
      (each) => each.due <= now && !besides.includes(each.event.deliveryId),
    );
    return Promise.resolve(due.slice(0, limit).map(({ event }) => event));
  }

  settle(attempt: SettledAttempt): Promise<void> {
    this.settled.push(attempt);
    const { deliveryId, after } = attempt;
    const waiting = this.waiting.get(deliveryId);
    if (waiting && after.nextAttempt) {
      const event = { ...waiting.event, attempts: waiting.event.attempts + 1 };
      this.waiting.set(deliveryId, { event, due: after.nextAttempt });
    } else this.waiting.delete(deliveryId);
    return Promise.resolve();
  }

  release(): Promise<void> {
    this.released++;
    return Promise.resolve();
  }

  /** When the only delivery is due next. */
  nextDue(): Date | undefined {
    return [...this.waiting.values()][0]?.due;
  }
}

class AnsweringHttp extends OutboundHttp {
  readonly requests: OutboundRequest[] = [];
  underWay = 0;
  mostAtOnce = 0;

  constructor(private readonly answer: (request: OutboundRequest) => Promise<number>) {
    super();
  }

  async send(request: OutboundRequest): Promise<OutboundAnswer> {
    this.requests.push(request);
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.underWay);
    try {
      return { status: await this.answer(request), headers: {}, body: new Uint8Array() };
    } finally {
      this.underWay--;
    }
  }
}

describe('DestinationSender', () => {
  const clock = () => new HandDrivenClock();

  it('sends all that is due, five at a time, and gives the claim back', async () => {
    const time = clock();
    const events = new DeliveriesInMemory(time.now(), 120);
    const http = new AnsweringHttp(() => new Promise((resolve) => setImmediate(() => resolve(204))));

    await new DestinationSender(events, http, time).send(CLAIM);

    expect(new Set(http.requests.map(({ headers }) => headers?.['webhook-id'])).size).toBe(120);
    expect(http.requests).toHaveLength(120);
    expect(http.mostAtOnce).toBe(5);
    expect(events.settled.every(({ after }) => after.status === 'DELIVERED')).toBe(true);
    expect(events.released).toBe(1);
  });

  it('tries a delivery eight times, at the times of the schedule, with one id, and then gives it up', async () => {
    const time = clock();
    const events = new DeliveriesInMemory(time.now(), 1);
    const http = new AnsweringHttp(() => Promise.resolve(500));
    const sender = new DestinationSender(events, http, time, () => 0);
    const waited: number[] = [];

    for (let due = events.nextDue(); due; due = events.nextDue()) {
      waited.push(due.getTime() - time.now().getTime());
      time.advance(due.getTime() - time.now().getTime() - 1);
      await sender.send(CLAIM);
      time.advance(1);
      await sender.send(CLAIM);
    }

    expect(waited.slice(1)).toEqual([...RETRY_DELAYS_MS]);
    expect(events.settled.map(({ after }) => after.status)).toEqual([...Array<string>(7).fill('PENDING'), 'FAILED']);
    expect(new Set(http.requests.map(({ headers }) => headers?.['webhook-id'])).size).toBe(1);
    expect(new Set(http.requests.map(({ headers }) => headers?.['webhook-timestamp'])).size).toBe(8);
  });

  it.each([
    ['an answer of 500', () => Promise.resolve(500), { status: 500, error: 'The destination answered 500.' }],
    [
      'a redirect',
      () => Promise.resolve(301),
      { status: 301, error: 'The destination answered 301, and redirects are not followed.' },
    ],
    [
      'no answer',
      () => Promise.reject(new OutboundFailure('timeout', 'The call took longer than 10 seconds.')),
      { status: null, error: 'The call took longer than 10 seconds.' },
    ],
  ])('counts %s as a failed attempt', async (_what, answer, outcome) => {
    const time = clock();
    const events = new DeliveriesInMemory(time.now(), 1);

    await new DestinationSender(events, new AnsweringHttp(answer), time).send(CLAIM);

    expect(events.settled).toMatchObject([
      { outcome: { isDelivered: false, ...outcome }, after: { status: 'PENDING' } },
    ]);
  });

  it('counts a call that is stopped as no attempt', async () => {
    const time = clock();
    const events = new DeliveriesInMemory(time.now(), 1);
    const stop = new AbortController();
    const http = new AnsweringHttp(() => {
      stop.abort();
      return Promise.reject(new OutboundFailure('aborted', 'The call was stopped.'));
    });

    await new DestinationSender(events, http, time).send(CLAIM, stop.signal);

    expect(http.requests).toHaveLength(1);
    expect(events.settled).toEqual([]);
    expect(events.released).toBe(1);
  });

  it('sends nothing when the claim is over', async () => {
    const time = clock();
    const events = new DeliveriesInMemory(time.now(), 1);
    events.open = () => Promise.resolve(null);
    const http = new AnsweringHttp(() => Promise.resolve(200));

    await new DestinationSender(events, http, time).send(CLAIM);

    expect(http.requests).toEqual([]);
  });

  it('keeps the claim when an outcome cannot be written, so that nobody sends the event at once again', async () => {
    const time = clock();
    const events = new DeliveriesInMemory(time.now(), 1);
    events.settle = () => Promise.reject(new Error('The database is away.'));

    const sent = new DestinationSender(events, new AnsweringHttp(() => Promise.resolve(200)), time).send(CLAIM);

    await expect(sent).rejects.toThrow('The database is away.');
    expect(events.released).toBe(0);
  });
});

/**
 * Sends numbered webhooks at an even rate, however late the answers come, to the gateways that are ready, as a load
 * balancer would. A webhook without an idempotency key is sent once. One with a key is sent again until it is
 * acknowledged; some are sent once more after that, and must be told the same run.
 */
import { EventEmitter, once } from 'node:events';
import { Agent, request } from 'node:http';
import { pause } from '../../running-processes.mjs';
import { KINDS, webhookOf } from './kinds.mjs';
import { outcomeOfAnswer, outcomeOfError, outcomeOfTries } from './outcomes.mjs';
import { Pace } from './pace.mjs';

const LOOKS_EVERY_MS = 250;
/** A sync webhook waits up to 30 s for its answer. */
const ANSWER_WITHIN_MS = 45_000;
const LONGEST_WAIT_MS = 5_000;
/** Nothing is repeated any more so long after the last webhook was first sent. */
const REPEATED_FOR_MS = 120_000;

/**
 * @typedef {ReturnType<typeof webhookOf> & { sentAt: number, tries: { outcome: string, why: string }[], outcome: string,
 *   runId?: string, alsoRunId?: string, answeredAt?: number }} SentWebhook
 */

export class Sender {
  /** @type {SentWebhook[]} in the order of their numbers, from 1 */
  webhooks = [];
  /** @type {(runId: string) => void} is called once for each acknowledged webhook */
  onAcknowledged = () => undefined;
  /** The number of the webhook with which the next fault should begin. Webhooks after it are sent more slowly. */
  nextFaultAfter = Infinity;
  #agent = new Agent({ keepAlive: true });
  #progress = new EventEmitter().setMaxListeners(0);
  #underWay = new Set();
  #ready = [];
  #turn = 0;
  #lastSentAt = Infinity;
  #stopped = false;
  /** @type {NodeJS.Timeout | undefined} */
  #looking;

  /**
   * @param {object} parts
   * @param {number} parts.seed
   * @param {number} parts.amount
   * @param {number} parts.rate webhooks a second
   * @param {Record<string, string>} parts.flowIds by kind
   * @param {{ url: string, isReady(): Promise<boolean> }[]} parts.gateways
   */
  constructor({ seed, amount, rate, flowIds, gateways }) {
    this.seed = seed;
    this.amount = amount;
    this.rate = rate;
    this.flowIds = flowIds;
    this.gateways = gateways;
    this.#ready = [...gateways];
  }

  /** Resolves when every webhook has been sent for the first time. */
  async sendAll() {
    this.#looking = setInterval(() => void this.#look(), LOOKS_EVERY_MS);
    const pace = new Pace(this.rate, performance.now());
    while (this.webhooks.length < this.amount && !this.#stopped) {
      const due = Math.min(this.amount, pace.dueAt(performance.now(), this.webhooks.length > this.nextFaultAfter));
      while (this.webhooks.length < due) this.#sendNext();
      this.#progress.emit('sent');
      await pause(5);
    }
    this.#lastSentAt = performance.now();
  }

  /** Resolves when so many webhooks have been sent, or when no more are. */
  async sent(number) {
    while (this.webhooks.length < Math.min(number, this.amount) && !this.#stopped) await once(this.#progress, 'sent');
  }

  /** Resolves when every webhook has its outcome. */
  async answered() {
    await Promise.all(this.#underWay);
    clearInterval(this.#looking);
    this.#agent.destroy();
  }

  get open() {
    return this.#underWay.size;
  }

  stop() {
    this.#stopped = true;
    this.#progress.emit('sent'); // who waits for more webhooks learns that none come
  }

  #sendNext() {
    const drawn = webhookOf(this.seed, this.webhooks.length + 1);
    /** @type {SentWebhook} */
    const webhook = { ...drawn, sentAt: Date.now(), tries: [], outcome: 'unknown' };
    this.webhooks.push(webhook);
    const sending = this.#untilTold(webhook).finally(() => this.#underWay.delete(sending));
    this.#underWay.add(sending);
  }

  async #untilTold(webhook) {
    for (let tries = 0; ; tries++) {
      const told = await this.#send(webhook);
      webhook.tries.push({ outcome: told.outcome, why: told.why });
      webhook.outcome = outcomeOfTries(webhook.tries.map(({ outcome }) => outcome));
      if (told.outcome === 'acknowledged') return this.#acknowledged(webhook, told.runId ?? '');
      if (!webhook.keyed || this.#stopped || performance.now() - this.#lastSentAt > REPEATED_FOR_MS) return;
      await pause(Math.min(LONGEST_WAIT_MS, 500 * 2 ** tries));
    }
  }

  async #acknowledged(webhook, runId) {
    webhook.answeredAt = Date.now();
    webhook.runId = runId;
    this.onAcknowledged(runId);
    if (!webhook.again) return;
    const { runId: replayed } = await this.#send(webhook);
    if (replayed && replayed !== runId) webhook.alsoRunId = replayed;
  }

  /** @returns {Promise<{ outcome: string, why: string, runId?: string }>} */
  #send({ number, kind, keyed, seconds }) {
    const body = JSON.stringify({ number, ...(seconds && { seconds }) });
    const key = keyed ? { 'idempotency-key': `chaos-${number}` } : {};
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...key };
    const url = `${this.#nextGateway()}/api/v1/webhooks/${this.flowIds[kind]}${KINDS[kind].path ?? ''}`;
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    return new Promise((resolve) => {
      const sent = request(url, { method: 'POST', agent: this.#agent, headers, signal }, (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (more) => (text += more));
        answer.once('error', (error) => resolve(outcomeOfError(error)));
        answer.once('end', () =>
          resolve(outcomeOfAnswer({ status: answer.statusCode ?? 0, runId: runIdIn(answer), text })),
        );
      });
      sent.once('error', (error) => resolve(outcomeOfError(error)));
      sent.end(body);
    });
  }

  #nextGateway() {
    const gateways = this.#ready.length > 0 ? this.#ready : this.gateways;
    return gateways[this.#turn++ % gateways.length].url;
  }

  async #look() {
    const seen = await Promise.all(this.gateways.map(async (gateway) => ({ gateway, ready: await gateway.isReady() })));
    this.#ready = seen.filter(({ ready }) => ready).map(({ gateway }) => gateway);
  }
}

const runIdIn = ({ headers }) => /** @type {string | undefined} */ (headers['x-webhook-id']);

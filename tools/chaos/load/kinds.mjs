/**
 * The kinds of flows of a proof. Each flow gets the number of its webhook in the body. `effects` are the paths of the
 * steps that call the effects server, each once in a run. `share` is how many of a hundred webhooks are for this kind.
 */
import { builtIn, code, loop, trigger } from '../../flow-steps.mjs';
import { chanceOf } from '../../chance.mjs';

/** The ends of waits are spread over these seconds, so that faults meet waiting and resumed runs. */
const WAITS_SECONDS = [2, 12];

/** A call is answered at once, but the machine may be busy and its caller may stand still meanwhile. */
const timeoutSeconds = 120;

const input = { number: '{{trigger.body.number}}' };
const double = (next) => code('double', 'export const code = async ({ number }) => number * 2;', input, next);
const call = (url, next) =>
  builtIn('call', 'http', 'send_request', { method: 'POST', url, bodyType: 'json', body: input, timeoutSeconds }, next);
const answer = builtIn('answer', 'webhook', 'return_response', {
  responseType: 'json',
  fields: { status: 200, body: { doubled: '{{double}}' } },
});
const wait = (next) =>
  builtIn('wait', 'delay', 'delay_for', { unit: 'seconds', delayFor: '{{trigger.body.seconds}}' }, next);

/** @type {Record<string, { share: number, effects: string[], path?: string, waits?: boolean, steps: (effectsUrl: string) => object }>} */
export const KINDS = {
  code: { share: 50, effects: [], steps: () => trigger(double()) },
  effect: { share: 20, effects: ['call'], steps: (url) => trigger(double(call(url))) },
  loop: {
    share: 10,
    effects: ['loop[0].call', 'loop[1].call'],
    steps: (url) => trigger(loop('{{ [1, 2] }}', call(url), double())),
  },
  wait: { share: 10, effects: ['call'], waits: true, steps: (url) => trigger(wait(double(call(url)))) },
  sync: { share: 10, effects: [], path: '/sync', steps: () => trigger(double(answer)) },
};

const CARDS = Object.entries(KINDS).flatMap(([kind, { share }]) => Array(share).fill(kind));

/**
 * The webhook of a number: its kind, whether it has an idempotency key, whether it is sent again after it was
 * acknowledged, and how long its run waits.
 */
export function webhookOf(seed, number) {
  const chance = chanceOf(seed, -number);
  const kind = chance.pick(CARDS);
  const keyed = chance.happens(0.5);
  const again = keyed && chance.happens(0.1);
  return { number, kind, keyed, again, ...(KINDS[kind].waits && { seconds: chance.between(...WAITS_SECONDS) }) };
}

import { isJsonObject } from '../../../json/json-reader';
import { migrateSteps } from './migrations';

const inputOf = (pieceName: string, actionName: string, input: object): unknown => {
  const step = migrateSteps({ type: 'PIECE', name: 's', settings: { pieceName, actionName, input } }, 20);
  const settings = isJsonObject(step) ? step['settings'] : null;
  return isJsonObject(settings) ? settings['input'] : null;
};
const schedule = (pieceName: string, triggerName: string, input: object): unknown => {
  const settings = { pieceName, pieceVersion: '~0.1.5', triggerName, input };
  const trigger = migrateSteps({ type: 'PIECE_TRIGGER', name: 'trigger', settings }, 20);
  return (trigger as { settings: { input: unknown } }).settings.input;
};
const http = (input: object) => inputOf('@activepieces/piece-http', 'send_request', input);
const store = (actionName: string, input: object) => inputOf('@activepieces/piece-store', actionName, input);

describe('an import of the public pieces', () => {
  it.each<[object, object]>([
    [
      { method: 'GET', url: 'u', authType: 'NONE', authFields: {}, body_type: 'none', body: {} },
      { method: 'GET', url: 'u', authType: 'none', authFields: {}, bodyType: 'none' },
    ],
    [
      { authType: 'BEARER_TOKEN', authFields: { token: 't' } },
      { authType: 'bearer', authFields: { token: 't' } },
    ],
    [{ authType: 'BASIC' }, { authType: 'basic' }],
    [
      { body_type: 'json', body: { data: { a: 1 } } },
      { bodyType: 'json', body: { a: 1 } },
    ],
    [
      { body_type: 'raw', body: { data: 'text' } },
      { bodyType: 'raw', body: 'text' },
    ],
    [
      { body_type: 'form_data', body: { data: { a: '1' } } },
      { bodyType: 'form', body: { a: '1' } },
    ],
    [
      { body_type: 'form_data', body: { data: [{ fieldName: 'a', fieldType: 'text', textFieldValue: '{{b}}' }] } },
      { bodyType: 'form', body: { a: '{{b}}' } },
    ],
    [
      { timeout: 5, failsafe: true },
      { timeoutSeconds: 5, failOnErrorStatus: false },
    ],
    [{ timeout: null, failsafe: false, use_proxy: false, proxy_settings: {}, response_is_binary: false }, {}],
    [{ failureMode: 'continue_all' }, { failOnErrorStatus: false }],
    [
      { use_proxy: true, proxy_settings: { proxy_host: 'h' } },
      { use_proxy: true, proxy_settings: { proxy_host: 'h' } },
    ],
  ])('reads the inputs %j of http as ours', (input, ours) => expect(http(input)).toEqual(ours));

  it('leaves our own inputs of http alone', () => {
    const ours = { bodyType: 'json', body: { data: 1 }, authType: 'bearer', timeoutSeconds: 5 };
    expect(http(ours)).toEqual(ours);
    expect(inputOf('http', 'send_request', ours)).toEqual(ours);
  });

  it('reads the same inputs where an old export names the piece without its prefix', () => {
    const old = { authType: 'BASIC', body_type: 'json', body: { data: 1 } };
    expect(inputOf('http', 'send_request', old)).toEqual({ authType: 'basic', bodyType: 'json', body: 1 });
    expect(inputOf('store', 'get', { key: 'k', store_scope: 'COLLECTION' })).toEqual({ key: 'k', scope: 'PROJECT' });
    expect(inputOf('@vendor/piece-http', 'send_request', old)).toEqual(old);
  });

  it.each<[string, object, object]>([
    [
      'get',
      { key: 'k', store_scope: 'COLLECTION', defaultValue: '0' },
      { key: 'k', scope: 'PROJECT', defaultValue: '0' },
    ],
    ['put', { key: 'k', value: 1, store_scope: 'FLOW' }, { key: 'k', value: 1, scope: 'FLOW' }],
    ['append', { store_scope: '{{x}}' }, { scope: '{{x}}' }],
  ])('reads the inputs of store.%s as ours', (action, input, ours) => expect(store(action, input)).toEqual(ours));

  it.each([
    ['every_hour', { run_on_weekends: true }, { runOnWeekends: true }],
    ['every_hour', {}, { runOnWeekends: false }],
    [
      'every_day',
      { hour_of_the_day: 0, timezone: 'UTC', run_on_weekends: false },
      { hour: 0, timezone: 'UTC', runOnWeekends: false },
    ],
    ['every_week', { day_of_the_week: 6, hour_of_the_day: 7 }, { dayOfWeek: 6, hour: 7 }],
    ['every_month', { day_of_the_month: 31, hour_of_the_day: 7 }, { dayOfMonth: 31, hour: 7 }],
    ['every_x_minutes', { minutes: 5 }, { minutes: 5 }],
    ['cron_expression', { cronExpression: '0/5 * * * *' }, { cronExpression: '0/5 * * * *' }],
  ])('reads the inputs of %s, %j, as ours', (triggerName, input, ours) =>
    expect(schedule('@activepieces/piece-schedule', triggerName, input)).toEqual(ours),
  );

  it('leaves our own inputs of a schedule alone', () => {
    expect(schedule('schedule', 'every_hour', { minute: 5 })).toEqual({ minute: 5 });
    expect(schedule('schedule', 'every_day', { hour: 5, runOnWeekends: true })).toEqual({
      hour: 5,
      runOnWeekends: true,
    });
  });
});

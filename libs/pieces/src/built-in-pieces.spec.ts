import { BuiltInPieces, resolveEntryName, resolvePieceName } from './built-in-pieces';
import { defineAction, defineTrigger } from './framework/piece';
import { aPiece } from './testing/a-piece-host';
import { RecordingHttp } from './testing/recording-http';

const greet = defineAction({
  displayName: 'Greet',
  description: 'Says hello.',
  auth: { kind: 'secretText', displayName: 'Key' },
  props: {
    name: { kind: 'text', displayName: 'Name', required: true },
    times: { kind: 'number', displayName: 'Times', required: false, defaultValue: 1 },
    language: {
      kind: 'dropdown',
      displayName: 'Language',
      required: false,
      options: [
        { label: 'English', value: 'en' },
        { label: 'Deutsch', value: 'de' },
      ],
    },
    room: {
      kind: 'dropdown',
      displayName: 'Room',
      required: false,
      options: async ({ name }, { auth, searchValue }) => ({
        options: [{ label: [name, auth, searchValue].join(', '), value: 1 }],
      }),
    },
    details: {
      kind: 'dynamic',
      displayName: 'Details',
      required: false,
      props: ({ name }) => ({ age: { kind: 'number', displayName: `Age of ${String(name)}`, required: false } }),
    },
  },
  problems: ({ name }) => (name === 'Nobody' ? ['Nobody cannot be greeted.'] : []),
  run: async ({ input }) => input.name.repeat(input.times),
});

const arrival = defineTrigger({
  displayName: 'Arrival',
  description: 'Someone comes.',
  resultType: 'POLLING',
  props: { door: { kind: 'dropdown', displayName: 'Door', required: true, options: [{ label: 'Front', value: 'f' }] } },
});

const greeter = aPiece(
  { greet },
  { name: 'greeter', triggers: { arrival }, auth: { kind: 'secretText', displayName: 'Key' } },
);

describe('BuiltInPieces', () => {
  const pieces = new BuiltInPieces();

  it.each([
    ['webhook', '0.1.0'],
    ['@activepieces/piece-webhook', '~0.1.20'],
  ])('knows the webhook trigger as %s %s', (name, version) => {
    expect(pieces.findTrigger(name, version, 'catch_webhook')).toMatchObject({
      pieceName: 'webhook',
      pieceVersion: '0.1.0',
      triggerName: 'catch_webhook',
      resultType: 'WEBHOOK',
      requiredInputs: [],
    });
  });

  it.each([
    ['webhook', 'other'],
    ['webhook', 'toString'],
    ['nobody', 'catch_webhook'],
    ['@activepieces/piece-nobody', 'catch_webhook'],
  ])('does not know %s %s', (piece, name) => {
    expect(pieces.findTrigger(piece, '0.1.0', name)).toBeNull();
    expect(pieces.findAction(piece, '0.1.0', name)).toBeNull();
  });

  it.each([
    ['webhook', 'return_response', true],
    ['webhook', 'respond_and_wait', true],
    ['http', 'send_request', false],
    ['delay', 'delay_for', true],
    ['delay', 'delay_until', true],
    ['approval', 'wait_for_approval', true],
    ['approval', 'create_approval_links', true],
    ['human_input', 'wait_for_input', true],
    ['subflows', 'call_flow', false],
    ['subflows', 'return_response', true],
    ['store', 'get', false],
    ['store', 'put', false],
    ['store', 'append', false],
    ['store', 'add_to_list', false],
    ['store', 'remove_from_list', false],
    ['store', 'remove_value', false],
    ['data_mapper', 'advanced_mapping', true],
    ['flow_control', 'stop', true],
    ['flow_control', 'add_tag', true],
    ['smtp', 'send_email', false],
    ['nobody', 'stop', false],
  ])('says of %s %s whether it is pure: %s', (piece, action, isPure) => {
    expect(pieces.findAction(piece, '', action) !== null).toBe(piece !== 'nobody');
    expect(pieces.isPureAction(piece, action)).toBe(isPure);
  });

  it.each([
    ['@activepieces/piece-delay', 'delayFor', 'Delay For'],
    ['@activepieces/piece-approval', 'wait_for_approval', 'Wait For Approval'],
    ['@activepieces/piece-subflows', 'callFlow', 'Call Flow'],
    ['@activepieces/piece-subflows', 'returnResponse', 'Return Response'],
    ['@activepieces/piece-webhook', 'return_response_and_wait_for_next_webhook', 'Respond And Wait'],
  ])('knows %s %s of public exports', (piece, action, displayName) =>
    expect(pieces.findAction(piece, '~0.1.0', action)?.displayName).toBe(displayName),
  );

  it('knows a trigger by the name it has in public exports', () =>
    expect(pieces.findTrigger('@activepieces/piece-subflows', '~0.4.0', 'callableFlow')).toMatchObject({
      pieceName: 'subflows',
      resultType: 'SUBFLOW',
    }));

  it('knows an action by the name it has in public exports', () => {
    expect(pieces.findAction('@activepieces/piece-store', '~0.5.0', 'addToList')?.displayName).toBe('Add To List');
    expect(pieces.definitionOf('store', 'addToList')).toEqual(pieces.definitionOf('store', 'add_to_list'));
  });

  it.each([[{}], [{ authType: 'none' }], [{ authType: '' }], [{ authType: null }]])('accepts %j', (input) =>
    expect(pieces.findTrigger('webhook', '', 'catch_webhook')?.inputProblems(input)).toEqual([]),
  );

  it.each(['NONE', '{{trigger.auth}}', 5, ['none'], ['{{trigger.auth}}']])(
    'has no authentication type %j',
    (authType) =>
      expect(pieces.findTrigger('webhook', '', 'catch_webhook')?.inputProblems({ authType })).toHaveLength(1),
  );

  const request = { method: 'GET', url: 'https://example.test' };
  const WRONG_STATUS = 'The status of a response must be a whole number from 200 to 599.';
  const WRONG_TIME_LIMIT = 'The time limit must be more than 0 and at most 600 seconds.';

  it.each([
    [
      'http',
      'send_request',
      { ...request, authType: 'basic' },
      ['The input "User name" (authFields.username) is required.'],
    ],
    [
      'http',
      'send_request',
      { ...request, authType: 'bearer', authFields: {} },
      ['The input "Token" (authFields.token) is required.'],
    ],
    ['http', 'send_request', { ...request, authType: 'bearer', authFields: { token: '{{step.token}}' } }, []],
    ['http', 'send_request', { ...request, authType: 'bearer', authFields: '{{step.auth}}' }, []],
    ['http', 'send_request', { ...request, authType: '{{step.type}}' }, []],
    [
      'http',
      'send_request',
      { ...request, authFields: 5 },
      ['The input "Authentication details" (authFields) must be an object.'],
    ],
    [
      'webhook',
      'return_response',
      { fields: { status: 'fine' } },
      ['The input "Status" (fields.status) must be a number.'],
    ],
    ['webhook', 'return_response', { fields: { status: '{{step.status}}' } }, []],
    ['webhook', 'return_response', { fields: { status: 999 } }, [WRONG_STATUS]],
    ['webhook', 'return_response', { fields: { status: '201.5' } }, [WRONG_STATUS]],
    ['webhook', 'respond_and_wait', { status: 100 }, [WRONG_STATUS]],
    ['webhook', 'respond_and_wait', { status: 201, fields: { status: 600 } }, [WRONG_STATUS]],
    ['webhook', 'respond_and_wait', { status: 600, fields: { status: 201 } }, []],
    ['webhook', 'respond_and_wait', { status: 600, fields: '{{step.response}}' }, []],
    ['http', 'send_request', { ...request, url: 'not a url' }, ['The input "URL" (url) is not a valid URL.']],
    [
      'http',
      'send_request',
      { ...request, url: 'ftp://example.test' },
      ['The input "URL" (url) must begin with http:// or https://.'],
    ],
    ['http', 'send_request', { ...request, url: 'https://example.test/{{step.path}}' }, []],
    ['http', 'send_request', { ...request, url: '{{step.url}}' }, []],
    ['http', 'send_request', { ...request, timeoutSeconds: -1 }, [WRONG_TIME_LIMIT]],
    ['http', 'send_request', { ...request, timeoutSeconds: '601' }, [WRONG_TIME_LIMIT]],
    ['http', 'send_request', { ...request, timeoutSeconds: '{{step.seconds}}' }, []],
    ['http', 'send_request', { ...request, timeoutSeconds: 600 }, []],
    ['webhook', 'return_response', {}, []],
    ['webhook', 'respond_and_wait', { status: 'fine' }, ['The input "Status" (status) must be a number.']],
    [
      'webhook',
      'respond_and_wait',
      { fields: { status: 'fine' } },
      ['The input "Status" (fields.status) must be a number.'],
    ],
    ['delay', 'delay_for', { unit: 'days', delayFor: 30 }, []],
    ['delay', 'delay_for', { unit: 'days', delayFor: '30.5' }, ['A delay has at most 30 days.']],
    ['delay', 'delay_for', { unit: '{{step.unit}}', delayFor: 31 }, []],
    ['delay', 'delay_for', { unit: 'days', delayFor: '{{step.days}}' }, []],
    [
      'delay',
      'delay_for',
      { unit: 'years', delayFor: 1 },
      ['The input "Unit" (unit) must be one of seconds, minutes, hours, days.'],
    ],
    [
      'delay',
      'delay_until',
      { delayUntilTimestamp: 'soon' },
      ['The input "Moment" (delayUntilTimestamp) must be a date.'],
    ],
    ['human_input', 'wait_for_input', {}, ['The input "Fields" (fields) is required.']],
    ['human_input', 'wait_for_input', { fields: '{{step.fields}}' }, []],
    ['human_input', 'wait_for_input', { fields: [] }, ['The form has no fields.']],
    ['human_input', 'wait_for_input', { fields: '[{"type": "text"}]' }, ['The field 1 of the form has no name.']],
    ['human_input', 'wait_for_input', { fields: 5 }, ['The input "Fields" (fields) must be a list.']],
    ['subflows', 'call_flow', {}, ['The input "Flow" (flowId) is required.']],
    ['subflows', 'call_flow', { flowId: 'a' }, []],
    ['subflows', 'call_flow', { externalId: 'a' }, []],
    ['subflows', 'call_flow', { flow: { externalId: 'a' } }, []],
    ['subflows', 'call_flow', { flow: '{{step.flow}}' }, []],
  ] as const)('judges a draft of %s %s with %j', (piece, action, input, problems) =>
    expect(pieces.findAction(piece, '', action)?.inputProblems(input)).toEqual(problems),
  );

  it.each([
    ['delay', 'delay_for', { unit: 'days', delayFor: -3 }, ['A negative delay is over at once.']],
    ['delay', 'delay_for', { unit: 'days', delayFor: '-0.5' }, ['A negative delay is over at once.']],
    ['delay', 'delay_for', { unit: 'days', delayFor: '{{step.days}}' }, []],
    ['delay', 'delay_for', { unit: 'days', delayFor: 0 }, []],
    [
      'subflows',
      'call_flow',
      { flowId: 'a', externalId: 'b' },
      ['The input "External id" (externalId) is not used, because "Flow" (flowId) is given.'],
    ],
    ['subflows', 'call_flow', { flowId: '{{step.id}}', externalId: 'b' }, []],
    ['subflows', 'call_flow', { flowId: '', externalId: 'b' }, []],
  ] as const)('warn about a draft of %s %s with %j', (piece, action, input, warnings) => {
    expect(pieces.findAction(piece, '', action)?.inputWarnings(input)).toEqual(warnings);
    expect(pieces.findAction(piece, '', action)?.inputProblems(input)).toEqual([]);
  });

  it('say which inputs they do not know, unless nothing is in them', () => {
    const respond = pieces.findAction('webhook', '', 'return_response');
    expect(respond?.unknownInputs({ statusCode: 201, body: 'x', fields: {}, old: '' })).toEqual(['statusCode', 'body']);
    expect(pieces.findAction('smtp', '', 'send_email')?.unknownInputs({ auth: 'x' })).toEqual([]);
  });

  const fields = { status: 1, statusCode: 201, old: null };
  it.each([
    ['webhook.return_response', { fields }, ['fields.statusCode']],
    ['webhook.return_response', { fields: JSON.stringify(fields) }, ['fields.statusCode']],
    ['webhook.return_response', { fields: '{{step.fields}}' }, []],
    ['webhook.respond_and_wait', { status: 1, fields }, ['fields.statusCode']],
    ['http.send_request', { authType: 'basic', authFields: { username: 'a', token: 'b' } }, ['authFields.token']],
    ['http.send_request', { authFields: { token: 'b' } }, ['authFields.token']],
    ['http.send_request', { authType: '{{step.type}}', authFields: { token: 'b' } }, []],
    ['http.send_request', { headers: { any: 'b' } }, []],
    ['human_input.wait_for_input', { fields: [{ name: 'a' }, { name: 'b', colour: 1 }] }, ['fields[1].colour']],
    ['smtp.send_email', { auth: { host: 'a', hots: 'a' } }, ['auth.hots']],
  ] as const)('say which members of the inputs of %s %j they do not know', (name, input, unknown) => {
    const [piece = '', action = ''] = name.split('.');
    expect(pieces.findAction(piece, '', action)?.unknownInputs(input)).toEqual(unknown);
  });

  it.each([
    ['none', { secret: 'a' }, ['authFields.secret']],
    ['hmac', { secret: 'a', prefix: 'b', salt: 'c' }, ['authFields.salt']],
    ['{{type}}', { secret: 'a' }, []],
  ] as const)('say which details of the authentication %s of a webhook they do not know', (authType, given, unknown) =>
    expect(pieces.findTrigger('webhook', '', 'catch_webhook')?.unknownInputs({ authType, authFields: given })).toEqual(
      unknown,
    ),
  );

  describe('with a piece that needs a connection', () => {
    const pieces = new BuiltInPieces([greeter]);
    const action = pieces.findAction('greeter', '1.0.0', 'greet');
    const auth = "{{connections['key']}}";

    it('says what keeps an input from being valid', () => {
      expect(action).toMatchObject({ actionName: 'greet', requiredInputs: ['auth', 'name'] });
      expect(action?.inputProblems({ times: 'x' })).toEqual([
        'The connection "Key" (auth) is required.',
        'The input "Name" (name) is required.',
        'The input "Times" (times) must be a number.',
      ]);
      expect(action?.inputProblems({ auth, name: 'Nobody' })).toEqual(['Nobody cannot be greeted.']);
      expect(action?.inputProblems({ auth, name: '{{trigger.name}}', times: '{{trigger.n}}' })).toEqual([]);
    });

    it('describes it in data', () => {
      expect(pieces.find('greeter')).toEqual({
        name: 'greeter',
        displayName: 'Test',
        description: '',
        category: 'DATA',
        keywords: [],
        version: '1.0.0',
        auth: { kind: 'secretText', displayName: 'Key' },
        triggers: {
          arrival: {
            displayName: 'Arrival',
            description: 'Someone comes.',
            props: {
              door: {
                kind: 'dropdown',
                displayName: 'Door',
                required: true,
                options: [{ label: 'Front', value: 'f' }],
              },
            },
            triggerType: 'POLLING',
          },
        },
        actions: {
          greet: {
            displayName: 'Greet',
            description: 'Says hello.',
            requiresAuth: true,
            props: {
              name: { kind: 'text', displayName: 'Name', required: true },
              times: { kind: 'number', displayName: 'Times', required: false, defaultValue: 1 },
              language: expect.objectContaining({
                options: expect.arrayContaining([{ label: 'English', value: 'en' }]),
              }),
              room: { kind: 'dropdown', displayName: 'Room', required: false, dependsOnOthers: true },
              details: { kind: 'dynamic', displayName: 'Details', required: false, dependsOnOthers: true },
            },
          },
        },
      });
      expect(pieces.find('nobody')).toBeNull();
    });

    const context = { http: new RecordingHttp(), signal: new AbortController().signal };
    const ask = (propName: string, more: { name?: string; searchValue?: string } = {}) =>
      pieces.options(
        { pieceName: 'greeter', name: 'greet', propName, input: { name: 'Ann', auth: 'k' }, ...more },
        context,
      );

    it('asks for the options of a dropdown, with the other inputs, the connection and the search text', async () =>
      expect(await ask('room', { searchValue: 'a' })).toEqual({
        kind: 'options',
        options: [{ label: 'Ann, k, a', value: 1 }],
      }));

    it('searches the options that are always the same', async () => {
      expect(await ask('language', { searchValue: 'DEU' })).toEqual({
        kind: 'options',
        options: [{ label: 'Deutsch', value: 'de' }],
      });
      expect(await ask('door', { name: 'arrival' })).toMatchObject({ options: [{ value: 'f' }] });
    });

    it('asks what a dynamic prop is made of', async () =>
      expect(await ask('details')).toEqual({
        kind: 'props',
        props: { age: { kind: 'number', displayName: 'Age of Ann', required: false } },
      }));

    it.each([
      ['name', 'greet'],
      ['toString', 'greet'],
      ['room', 'arrival'],
      ['room', 'nothing'],
    ])('has no options for %s of %s', async (propName, name) => expect(await ask(propName, { name })).toBeNull());
  });

  it('describes every piece as JSON can hold it', () => {
    const described = pieces.describe();

    expect(JSON.parse(JSON.stringify(described))).toEqual(described);
    expect(described.map(({ name }) => name)).toEqual([
      'webhook',
      'polling',
      'manual',
      'events',
      'schedule',
      'http',
      'delay',
      'approval',
      'human_input',
      'subflows',
      'store',
      'data_mapper',
      'flow_control',
      'smtp',
    ]);
    expect(described.find(({ name }) => name === 'smtp')).toMatchObject({
      auth: { kind: 'customAuth', props: { password: { isSecret: true } } },
      actions: { send_email: { requiresAuth: true } },
    });
    expect(described.find(({ name }) => name === 'http')).toMatchObject({
      auth: null,
      actions: { send_request: { requiresAuth: false } },
    });
  });
});

it('gives every piece words in small letters by which people look for it', () => {
  for (const { name, keywords } of new BuiltInPieces().describe()) {
    const words = [...new Set(keywords.map((word) => word.toLowerCase()))];
    expect([name, keywords]).toEqual([name, words]);
    expect(words.length).toBeGreaterThan(2);
  }
});

describe('resolvePieceName', () => {
  it.each([
    ['@activepieces/piece-webhook', 'webhook'],
    ['@activepieces/piece-human-input', 'human_input'],
    ['webhook', 'webhook'],
    ['@acme/piece-webhook', '@acme/piece-webhook'],
  ])('%s is %s', (name, resolved) => expect(resolvePieceName(name)).toBe(resolved));
});

describe('resolveEntryName', () => {
  it.each([
    ['delayFor', 'delay_for'],
    ['delay_until', 'delay_until'],
    ['addToList', 'add_to_list'],
    ['callableFlow', 'callable_flow'],
    ['return_response_and_wait_for_next_webhook', 'respond_and_wait'],
  ])('%s is %s', (name, resolved) => expect(resolveEntryName(name)).toBe(resolved));
});

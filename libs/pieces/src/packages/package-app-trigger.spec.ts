import type { AppListener } from '@millrace/domain';
import type { HookContext } from '../framework/hooks';
import { packageAuth } from './package-auth';
import { PackageCalls, type PackageAnswer, type PackageCall } from './package-calls';
import { packageAppTrigger } from './package-webhook';
import { readPublishedPiece, type PublishedTrigger } from './published-piece';

const CHAT = { name: '@acme/piece-chat', version: '1.0.0' };
const DESCRIPTION = {
  auth: [
    { type: 'OAUTH2', displayName: 'Sign in', authUrl: 'https://id.test/auth', tokenUrl: 'https://id.test/token' },
    {
      type: 'CUSTOM_AUTH',
      displayName: 'Bot',
      props: { bot: { type: 'SECRET_TEXT', displayName: 'Bot', required: true } },
    },
  ],
  triggers: { message: { type: 'APP_WEBHOOK', displayName: 'Message', props: {} } },
};

/** A package that listens to the team of its connection. */
class Chat extends PackageCalls {
  listeners: unknown[] | null = null;

  override async call({ request }: PackageCall): Promise<PackageAnswer> {
    const { data } = request['auth'] as { data?: { team: string } };
    const listeners = this.listeners ?? [{ events: ['message'], identifierValue: data?.team ?? 'T-of-bot' }];
    return { value: { listeners }, output: '' };
  }
}

function setUp() {
  const published = readPublishedPiece(CHAT.name, DESCRIPTION);
  const of = { piece: CHAT, trigger: 'message', connection: packageAuth(published.auths), fileInputs: [] };
  const chat = new Chat();
  const trigger = packageAppTrigger(of, published.triggers['message'] as PublishedTrigger, chat);
  const enable = async (auth: unknown): Promise<AppListener[]> => {
    const heard: AppListener[] = [];
    const context = {
      auth,
      input: {},
      flow: { id: 'f', projectId: 'p' },
      elsewhere: (work: () => unknown) => work(),
      createListeners: (one: AppListener) => heard.push(one),
    };
    await trigger.onEnable?.(context as unknown as HookContext<Record<string, unknown>, unknown>);
    return heard;
  };
  return { chat, trigger, enable };
}

describe('a trigger for the events of an app', () => {
  it('hears the events of whoever signed in to the provider of its piece, or of a bot that the package asks', async () => {
    const { enable } = setUp();
    const signedIn = { access_token: 't', data: { team: 'T1' }, signed_in_to: CHAT.name };

    expect(await enable(signedIn)).toEqual([{ events: ['message'], identifierValue: 'T1' }]);
    expect(await enable({ bot: 'xoxb' })).toEqual([{ events: ['message'], identifierValue: 'T-of-bot' }]);
  });

  it.each([
    ['nobody said so', {}],
    ['a connection of another kind calls itself one of another type', { type: 'CUSTOM_AUTH' }],
    ['the provider of another piece said so', { signed_in_to: '@acme/piece-other' }],
  ])('hears none where %s, since anybody could say whose events they are', async (_what, more) => {
    const made = setUp().enable({ access_token: 't', data: { team: 'T1' }, ...more });

    await expect(made).rejects.toThrow('The connection must be made by signing in to the provider of the piece');
  });

  it('hears the events of a bounded number', async () => {
    const { chat, enable } = setUp();
    chat.listeners = Array.from({ length: 101 }, (_, team) => ({ events: ['message'], identifierValue: team }));

    await expect(enable({ bot: 'xoxb' })).rejects.toThrow('The trigger listens to more than 100 of its app.');
  });

  it.each([
    ['{{connections.slack}}', true],
    ["{{ connections['my slack'] }}", true],
    ['{{ connections["slack"] }}', true],
    ['', true],
    [undefined, true],
    [{ access_token: 't', data: { team: 'T1' } }, false],
    ["{{ ({ ...connections['slack'], data: { team: 'T2' } }) }}", false],
    ["{{ connections['slack'] }} ", true],
    ["{{ connections['slack'] }}{{ 1 }}", false],
    ["{{ connections['a\\'], x['b'] }}", false],
    ['a text', false],
  ])('takes no other expression than one connection: %j', (auth, isTaken) => {
    const problems = setUp().trigger.problems?.({ auth }) ?? [];

    expect(problems).toHaveLength(isTaken ? 0 : 1);
  });
});

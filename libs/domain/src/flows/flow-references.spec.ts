import { branch, codeStep, loop, pieceStep, router, webhookTrigger } from '../testing/a-flow-version';
import { agentsUsedBy, connectionsNamedIn, connectionsUsedBy, unknownConnections } from './flow-references';
import type { FlowAction } from './flow-version';
import { aDraft } from './testing/a-draft';
import { leastCpuMs } from '../testing/least-cpu-time';

const versionOf = (...steps: FlowAction[]) => aDraft({ trigger: webhookTrigger(steps) });

describe('connectionsUsedBy', () => {
  it.each<[string, string[]]>([
    ["{{connections['gmail']}}", ['gmail']],
    ['Bearer {{ connections["my-crm"].access_token }}', ['my-crm']],
    ['{{ connections.slack.token }} and {{ connections?.sheets }}', ['sheets', 'slack']],
    ['{{ connections[`plain`] + connections?.["asked"] }}', ['asked', 'plain']],
    ["{{ [...connections.all, connections [ 'spaced' ] ] }}", ['all', 'spaced']],
    ["{{ connections['it\\'s'] }}", ["it's"]],
    ["{{ connections['b'] }}{{ connections['a'] }}{{ connections['b'] }}", ['a', 'b']],
    ["{{ 'a' + connections['b'] }}", ['b']],
    ["connections['outside'] {{ 1 }}", []],
    ["{{ 'connections.literal' }}", []],
    ['{{ step_1.connections.own + myconnections.own }}', []],
    ['{{ connections[step_1.name] + connections[`${run.id}`] }}', []],
    ["{{ connections['open", []],
    ["{{ connections['open }}", []],
  ])('in %s are %j', (text, externalIds) => {
    expect(connectionsUsedBy(versionOf(codeStep('step_1', { deep: [{ text }] })))).toEqual(externalIds);
  });

  it('looks where expressions are resolved, in every kind of step, and not in code', () => {
    const trigger = webhookTrigger(
      [
        codeStep('code', {}, "export const code = () => `{{ connections['code'] }}`;"),
        loop('loop', '{{ connections.loop }}', [pieceStep('piece', { auth: "{{connections['piece']}}" })]),
        router('router', [
          branch(
            'branch',
            [[{ firstValue: '{{ connections.router }}', operator: 'EXISTS' }]],
            [codeStep('skipped', { a: '{{ connections.skipped }}' }, undefined, { skip: true })],
          ),
        ]),
      ],
      { auth: '{{ connections.trigger }}' },
    );
    expect(connectionsUsedBy(aDraft({ trigger }))).toEqual(['loop', 'piece', 'router', 'skipped', 'trigger']);
  });

  it.each(["'\\'", 'connections[', "connections['\\'", 'connections ', '"'])(
    'reads a megabyte of %s in a moment',
    async (text) => {
      const version = versionOf(
        codeStep('step_1', { text: `{{connections ${text.repeat(1_000_000 / text.length)}}}` }),
      );

      expect(await leastCpuMs(() => connectionsUsedBy(version))).toBeLessThan(1_000);
    },
  );
});

describe('unknownConnections', () => {
  it('warns of each step that names a connection which is not known, unless it is skipped', () => {
    const version = versionOf(
      codeStep('code', { a: "{{connections['known']}} {{connections.gone}}" }),
      pieceStep('piece', { auth: "{{connections['gone']}}" }),
      codeStep('skipped', { a: '{{connections.gone}}' }, undefined, { skip: true }),
    );
    const warning = { severity: 'warning', message: 'There is no connection "gone".' };
    expect(unknownConnections(version, new Set(['known']))).toEqual([
      { stepName: 'code', ...warning },
      { stepName: 'piece', ...warning },
    ]);
  });
});

describe('connectionsNamedIn', () => {
  it.each([
    ["{{connections['mail']}}", ['mail']],
    ["Bearer {{ connections['mail'].token }}", ['mail']],
    [{ a: ['{{ connections.mail ?? connections["post"] }}'] }, ['mail', 'post']],
    ['{{step_1.connections.mail}} connections.mail', []],
  ])('of %j is %j', (value, externalIds) => expect([...connectionsNamedIn(value)]).toEqual(externalIds));
});

describe('agentsUsedBy', () => {
  it('gives the ids that piece steps name literally', () => {
    const version = versionOf(
      pieceStep('a', { agentId: 'b_agent' }),
      loop('loop', [], [pieceStep('b', { agentExternalId: 'a_agent', agentId: '' })]),
      pieceStep('c', { agentId: 'b_agent' }),
      pieceStep('d', { agentId: '{{ step_1.agent }}', agentExternalId: 7 }),
      codeStep('e', { agentId: 'not_a_piece' }),
    );
    expect(agentsUsedBy(version)).toEqual(['a_agent', 'b_agent']);
  });
});

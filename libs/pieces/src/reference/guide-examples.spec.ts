import { checkVersion, parseFlowOperation, type FlowTrigger } from '@millrace/domain';
import { aFlowVersion, builtInTrigger } from '@millrace/domain/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BuiltInPieces } from '../built-in-pieces';

// The JSON blocks of the guides to triggers. A block is a whole trigger, a part of the input of `catch_webhook`, or
// something else, which another test tries.

const OTHERS = ['from,to,dryRun']; // the body of a backfill

const pieces = new BuiltInPieces();
const guide = (name: string) => readFileSync(join(__dirname, '../../../../docs', name), 'utf8');
const blocksOf = (name: string) =>
  Array.from(guide(name).matchAll(/^```json\n([\s\S]*?)^```$/gm), ([, text = '']) => [name, text] as const);

function triggerIn(example: Record<string, unknown>): FlowTrigger | null {
  if ('authType' in example || 'echoChallenge' in example) {
    const trigger = builtInTrigger('webhook', 'catch_webhook');
    return { ...trigger, settings: { ...trigger.settings, input: example } };
  }
  if (!('type' in example)) return null;
  return parseFlowOperation({ type: 'UPDATE_TRIGGER', request: example }).brings as FlowTrigger;
}

const problemsOf = (trigger: FlowTrigger) =>
  checkVersion(aFlowVersion([], { trigger }), { pieces, expressionProblems: () => [], codeProblems: () => [] })
    .problems;

describe('the examples of the guides to triggers', () => {
  it.each([...blocksOf('webhooks.md'), ...blocksOf('triggers.md')])('in %s: %s', (_guide, text) => {
    const example = JSON.parse(text) as Record<string, unknown>;
    const trigger = triggerIn(example);
    if (trigger) expect(problemsOf(trigger)).toEqual([]);
    else expect(OTHERS).toContain(Object.keys(example).join());
  });

  it('name the challenge of each sender as the trigger takes it', () => {
    const written = Array.from(guide('webhooks.md').matchAll(/^\|.*`(\{.*\})` *\|$/gm), ([, text = '']) => text);
    expect(written.length).toBeGreaterThan(3);
    for (const text of written) {
      const echoChallenge: unknown = JSON.parse(text);
      expect(problemsOf(triggerIn({ echoChallenge }) as FlowTrigger)).toEqual([]);
    }
  });
});

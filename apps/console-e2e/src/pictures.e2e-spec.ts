import { branch, builtInStep, codeStep, fallback, loop, router, webhookTrigger } from '@millrace/domain/testing';
import { visits } from './testing/browser';
import { newPerson, signInTo } from './testing/people';
import { takePicture } from './testing/pictures';

const ADD_UP = `export const code = async ({ lines }) =>
  lines.reduce((sum, { price, amount }) => sum + price * amount, 0);`;
const TELL = `export const code = async ({ line }) => {
  if (line.amount > 100) throw new Error(\`Only 100 of \${line.article} are in stock.\`);
  return { reserved: line.amount };
};`;

const isLarge = { firstValue: '{{add_up}}', operator: 'NUMBER_IS_GREATER_THAN', secondValue: '1000' } as const;

/** The pictures of the README and of docs/console.md, which show the same flow: in the editor, and in a run. */
describe('the console, for its documentation', () => {
  const visit = visits();

  it('has its pictures taken, light and dark', async () => {
    const { client, projectId, ...person } = await newPerson('Lamp shop');
    const addUp = codeStep('add_up', { lines: '{{trigger.body.lines}}' }, ADD_UP, { displayName: 'Add up' });
    const ask = builtInStep('ask', 'approval', 'wait_for_approval', {}, { displayName: 'Ask the owner' });
    const tell = codeStep('tell', { line: '{{each.item}}' }, TELL, { displayName: 'Tell the warehouse' });
    const size = router('size', [branch('Large', [[isLarge]], [ask]), fallback()], {
      displayName: 'Size of the order',
    });
    const each = loop('each', '{{trigger.body.lines}}', [tell], { displayName: 'Each line' });
    const { id } = await client.publishFlow(projectId, 'Order intake', webhookTrigger([addUp, size, each]));
    const lines = [
      { article: 'lamp', price: 4, amount: 2 },
      { article: 'bulb', price: 1, amount: 120 },
    ];
    const run = await client.endedRun((await client.sendWebhook(id, { customer: 'Ada', lines })).body.id);

    await client.must('POST', `/flows/${id}/sample-data`, { fromRunId: run.id });

    const light = await visit({ colorScheme: 'light' });
    await signInTo(light.page, `/flows/${id}?step=add_up`, person);
    await light.page.getByRole('treeitem', { name: /^Tell the warehouse/ }).waitFor();
    await light.page.getByRole('complementary', { name: 'Step settings' }).getByText('lines.reduce').waitFor();
    await light.page.getByText('Evaluating…').waitFor({ state: 'detached' });
    await takePicture(light.page, 'console-editor');

    const dark = await visit({ colorScheme: 'dark' });
    await signInTo(dark.page, `/runs/${run.id}?tab=canvas&step=each%5B1%5D.tell`, person);
    await dark.page.getByRole('complementary', { name: 'Step' }).getByText('are in stock').first().waitFor();
    await dark.page.getByRole('treeitem', { name: 'Large not taken' }).waitFor();
    await takePicture(dark.page, 'console-run');
  });
});

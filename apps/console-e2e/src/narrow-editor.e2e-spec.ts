import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { visits } from './testing/browser';
import { newPerson, signInTo } from './testing/people';
import { takePicture } from './testing/pictures';

describe('the editor in a window of 768 pixels', () => {
  const visit = visits();

  it('shows the whole card of the selected step, and its settings below the canvas', async () => {
    const person = await newPerson('Tablets');
    const { id } = await person.client.createFlow(person.projectId, 'Order intake');
    const addUp = codeStep('sum', { lines: '{{ trigger.body.lines }}' }, undefined, { displayName: 'Add up' });
    await person.client.importFlow(id, 'Order intake', webhookTrigger([addUp]));
    const { page } = await visit({ viewport: { width: 768, height: 1024 } });
    await signInTo(page, `/flows/${id}?step=sum`, person);
    const panel = page.getByRole('complementary', { name: 'Step settings' });
    await panel.getByRole('tab', { name: 'Settings' }).waitFor();

    const canvas = (await page.getByRole('region', { name: 'Canvas' }).boundingBox()) ?? fail();
    const card = (await page.getByRole('button', { name: /^Add up/ }).boundingBox()) ?? fail();
    expect(card.x).toBeGreaterThanOrEqual(canvas.x);
    expect(card.x + card.width).toBeLessThanOrEqual(canvas.x + canvas.width);
    expect(card.y + card.height).toBeLessThanOrEqual(canvas.y + canvas.height);
    const settings = (await panel.boundingBox()) ?? fail();
    expect(settings.y).toBeGreaterThanOrEqual(canvas.y + canvas.height);
    expect(settings.width).toBeGreaterThan(400);
    await takePicture(page, 'editor-768');
  });
});

const fail = (): never => {
  throw new Error('It is not shown.');
};

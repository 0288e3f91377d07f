import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import type { Page } from 'playwright-core';
import { visits } from './testing/browser';
import { newMember, newPerson, signInTo, type Person } from './testing/people';

describe('templates', () => {
  const visit = visits();
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Templates');
    const { id } = await person.client.createFlow(person.projectId, 'Order intake');
    await person.client.importFlow(id, 'Order intake', webhookTrigger([codeStep('add_up', {}, undefined, ADD_UP)]));
  });

  const ADD_UP = { displayName: 'Add up' };
  const actOn = async (page: Page, name: string, action: string) => {
    await page.getByRole('button', { name: `Actions of ${name}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };

  it('are made of a flow, used for another, and deleted', async () => {
    const { page } = await visit();
    await signInTo(page, '/templates', person);
    await page.getByText('There is no template in this project yet.').waitFor();

    await page.getByRole('button', { name: 'New template' }).click();
    await page.getByRole('searchbox', { name: 'Search flows' }).fill('intake');
    await page.getByRole('combobox', { name: 'From the flow' }).selectOption('Order intake');
    await page.getByRole('textbox', { name: 'Name' }).fill('Orders <b>');
    await page.getByRole('textbox', { name: 'Description' }).fill('Adds up what was ordered.');
    await page.getByRole('button', { name: 'Create template' }).click();
    await page.getByRole('row', { name: /^Orders <b> Adds up what was ordered\./ }).waitFor();

    await actOn(page, 'Orders <b>', 'Use…');
    await page.getByRole('listitem').filter({ hasText: 'Add up' }).waitFor();
    await page.getByRole('textbox', { name: 'Name of the flow' }).fill('Orders of the shop');
    await page.getByRole('button', { name: 'Create flow' }).click();
    await page.getByRole('treeitem', { name: /Add up/ }).waitFor();
    expect(await page.title()).toContain('Orders of the shop');

    await page.getByRole('link', { name: 'Templates' }).click();
    await actOn(page, 'Orders <b>', 'Delete…');
    await page.getByRole('button', { name: 'Delete template' }).click();
    await page.getByText('There is no template in this project yet.').waitFor();
  });

  it('are only looked at by an operator', async () => {
    const operator = await newMember(person, 'OPERATOR');
    await person.client.must('POST', '/templates', {
      projectId: person.projectId,
      template: { displayName: 'For all', trigger: webhookTrigger(), schemaVersion: '20', notes: [] },
    });
    const { page } = await visit();
    await signInTo(page, '/templates', operator);

    await page.getByRole('row', { name: /^For all/ }).waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
  });
});

import { EntityNotFoundError, type FlowTemplate } from '@millrace/domain';
import { anId, codeStep, webhookTrigger } from '@millrace/domain/testing';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { newId } from '../postgres/new-id';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresFlowTemplateRepository } from './postgres-flow-template.repository';

const CREATED = new Date('2026-01-01T00:00:00.000Z');

describe('templates in PostgreSQL', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let templates: PostgresFlowTemplateRepository;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'template test')).initialize();
    templates = new PostgresFlowTemplateRepository(dataSource);
    projectId = await seedProject(dataSource);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const inserted = async (name: string): Promise<FlowTemplate> => {
    const definition = {
      displayName: name,
      trigger: webhookTrigger([codeStep('one')]),
      schemaVersion: '20',
      notes: [],
    };
    const template = {
      id: newId(),
      projectId,
      name,
      description: 'What it is for',
      template: JSON.parse(JSON.stringify(definition)) as FlowTemplate['template'],
      created: CREATED,
      updated: CREATED,
    };
    await templates.insert(template);
    return template;
  };

  it('are given back as they were inserted', async () => {
    const template = await inserted('Orders');

    expect(await templates.get(template.id, [projectId])).toEqual(template);
  });

  it('are listed newest first, a page at a time, without their definitions', async () => {
    const [older, newer] = [await inserted('older'), await inserted('newer')];

    const first = await templates.list(projectId, { limit: 1, cursor: null });
    const second = await templates.list(projectId, { limit: 1, cursor: first.next });

    const [{ template: _newer, ...newerSummary }, { template: _older, ...olderSummary }] = [newer, older];
    expect([first.data, second.data]).toEqual([[newerSummary], [olderSummary]]);
    expect((await templates.list('no id', { limit: 1, cursor: null })).data).toEqual([]);
  });

  it('are gone when deleted, and only for those who may see the project', async () => {
    const { id } = await inserted('Orders');
    await expect(templates.delete(id, [anId()])).rejects.toBeInstanceOf(EntityNotFoundError);
    await expect(templates.get(id, [anId()])).rejects.toBeInstanceOf(EntityNotFoundError);

    await templates.delete(id, [projectId]);

    await expect(templates.get(id, 'any')).rejects.toBeInstanceOf(EntityNotFoundError);
    await expect(templates.delete('no id', 'any')).rejects.toBeInstanceOf(EntityNotFoundError);
  });

  it('hold what PostgreSQL cannot, replaced', async () => {
    const { id } = await inserted('a\0b');

    expect(await templates.get(id, 'any')).toMatchObject({ name: 'a\ufffdb', template: { displayName: 'a\ufffdb' } });
  });
});

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { Button } from '../controls/button';
import { ConfirmDialog } from '../controls/confirm-dialog';
import { MenuItem } from '../controls/menu';
import { Moment } from '../controls/moment';
import { RowMenu } from '../controls/row-menu';
import { Table } from '../controls/table';
import { words as controlWords } from '../controls/words';
import { Page } from '../shell/page';
import { PagedList, useCursor } from '../shell/paged-list';
import { useProject } from '../shell/project';
import { NewTemplateDialog } from './new-template-dialog';
import { deleteTemplate, templatesQuery, type Template } from './template-queries';
import { UseDialog } from './use-dialog';
import { words } from './words';

/** The flow of which a template is to be made, in the address. Without a flow, the person chooses one. */
const FROM = 'from';

/** The templates of a project, from which new flows start. */
export function TemplatesPage() {
  const { projectId, may } = useProject();
  const [cursor] = useCursor();
  const [search, setSearch] = useSearchParams();
  const templates = useQuery(templatesQuery(projectId, cursor));
  const from = search.get(FROM);
  return (
    <Page
      name={words.templates}
      actions={
        may('WRITE_FLOW') && (
          <Button isMain onClick={() => setSearch({ projectId, [FROM]: '' })}>
            {words.newTemplate}
          </Button>
        )
      }
    >
      <PagedList query={templates} none={words.none}>
        {(all) => <TemplateTable templates={all} mayWrite={may('WRITE_FLOW')} />}
      </PagedList>
      {from !== null && may('WRITE_FLOW') && (
        <NewTemplateDialog
          key={projectId}
          projectId={projectId}
          flowId={from}
          onClose={() => setSearch({ projectId }, { replace: true })}
        />
      )}
    </Page>
  );
}

interface Step {
  kind: 'use' | 'delete';
  template: Template;
}

function TemplateTable({ templates, mayWrite }: { templates: readonly Template[]; mayWrite: boolean }) {
  const [step, setStep] = useState<Step | null>(null);
  const columns = [words.name, words.description, words.made];
  const close = () => setStep(null);
  return (
    <>
      <Table name={words.templates} columns={mayWrite ? [...columns, controlWords.actions] : columns}>
        {templates.map((template) => (
          <tr key={template.id}>
            <td>{template.name}</td>
            <td>{template.description}</td>
            <td>
              <Moment at={template.created} />
            </td>
            {mayWrite && (
              <td>
                <RowMenu name={template.name}>
                  <MenuItem onChoose={() => setStep({ kind: 'use', template })}>{words.use}</MenuItem>
                  <MenuItem onChoose={() => setStep({ kind: 'delete', template })}>{words.delete}</MenuItem>
                </RowMenu>
              </td>
            )}
          </tr>
        ))}
      </Table>
      {step?.kind === 'use' && <UseDialog template={step.template} onClose={close} />}
      {step?.kind === 'delete' && (
        <ConfirmDialog
          title={words.deleteTitle(step.template.name)}
          verb={words.deleteNow}
          onConfirm={() => deleteTemplate(step.template.id)}
          onClose={close}
        >
          <p>{words.deleteSays}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

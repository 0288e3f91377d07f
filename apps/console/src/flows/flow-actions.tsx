import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { MenuItem } from '../controls/menu';
import { Problem } from '../controls/problem';
import { RowMenu } from '../controls/row-menu';
import { useProject } from '../shell/project';
import type { BulkAction } from './dialog-words';
import { saveFlows } from './export-flows';
import { changeStatus, readAgain } from './flow-changes';
import type { FlowSummary } from './flow-queries';
import { words } from './words';

interface FlowActionsProps {
  flow: FlowSummary;
  /** Opens the dialog of an action that asks first. */
  onAct: (action: BulkAction, flow: FlowSummary) => void;
}

/** What can be done with a flow of the list. */
export function FlowActions({ flow, onAct }: FlowActionsProps) {
  const { may } = useProject();
  const [failure, setFailure] = useState<unknown>(null);
  const navigate = useNavigate();
  const { id, projectId, status } = flow;
  const isEnabled = status === 'ENABLED';
  const enableWord = flow.publishedVersionId === null ? words.publishAndEnable : words.enable;
  const attempt = (action: Promise<void>) => action.then(readAgain).catch(setFailure);
  const asTemplate = `/templates?${new URLSearchParams({ projectId, from: id }).toString()}`;
  return (
    <>
      <RowMenu name={flow.version.displayName}>
        {may('UPDATE_FLOW_STATUS') && (
          <MenuItem onChoose={() => void attempt(changeStatus(flow, isEnabled ? 'DISABLED' : 'ENABLED'))}>
            {isEnabled ? words.disable : enableWord}
          </MenuItem>
        )}
        {may('WRITE_FLOW') && <MenuItem onChoose={() => onAct('move', flow)}>{words.bulk.move}</MenuItem>}
        <MenuItem onChoose={() => void navigate(`/flows/${id}/versions`)}>{words.versions}</MenuItem>
        <MenuItem onChoose={() => void attempt(saveFlows([flow]))}>{words.export}</MenuItem>
        {may('WRITE_FLOW') && (
          <>
            <MenuItem onChoose={() => void navigate(asTemplate)}>{words.saveAsTemplate}</MenuItem>
            <MenuItem onChoose={() => onAct('delete', flow)}>{words.bulk.delete}</MenuItem>
          </>
        )}
      </RowMenu>
      <Dialog title={words.notDone} isOpen={failure !== null} onClose={() => setFailure(null)}>
        <Problem error={failure} />
        <DialogActions>
          <Button isMain onClick={() => setFailure(null)}>
            {words.close}
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}

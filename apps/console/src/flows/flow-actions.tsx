import { DotsHorizontalIcon } from '@radix-ui/react-icons';
import { useState } from 'react';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { Menu, MenuItem } from '../controls/menu';
import { Problem } from '../controls/problem';
import { changeStatus, deleteFlow } from './flow-changes';
import type { FlowSummary } from './flow-queries';
import { words } from './words';

/** What can be done with a flow of the list. */
export function FlowActions({ flow }: { flow: FlowSummary }) {
  const [isDeleting, setDeleting] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const { displayName } = flow.version;
  const isEnabled = flow.status === 'ENABLED';
  const enableWord = flow.publishedVersionId === null ? words.publishAndEnable : words.enable;
  const act = async (action: () => Promise<void>) => {
    try {
      await action();
      setDeleting(false);
    } catch (error) {
      setFailure(error);
    }
  };
  const close = () => {
    setDeleting(false);
    setFailure(null);
  };
  return (
    <>
      <Menu
        opener={
          <Button aria-label={words.actionsOf(displayName)} title={words.actionsOf(displayName)}>
            <DotsHorizontalIcon aria-hidden />
          </Button>
        }
      >
        <MenuItem onChoose={() => void act(() => changeStatus(flow, isEnabled ? 'DISABLED' : 'ENABLED'))}>
          {isEnabled ? words.disable : enableWord}
        </MenuItem>
        <MenuItem onChoose={() => setDeleting(true)}>{words.delete}</MenuItem>
      </Menu>
      <Dialog title={words.deleteFlow(displayName)} isOpen={isDeleting} onClose={close}>
        <p>{isEnabled ? words.deleteEnabledSays : words.deleteSays}</p>
        {failure !== null && <Problem error={failure} />}
        <DialogActions>
          <Button onClick={close}>{words.cancel}</Button>
          <Button isMain onClick={() => void act(() => deleteFlow(flow))}>
            {words.deleteNow}
          </Button>
        </DialogActions>
      </Dialog>
      <Dialog title={words.notDone} isOpen={failure !== null && !isDeleting} onClose={close}>
        <Problem error={failure} />
        <DialogActions>
          <Button isMain onClick={close}>
            {words.close}
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}

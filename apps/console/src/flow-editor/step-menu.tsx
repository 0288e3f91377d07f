import { copyText } from '../browser/clipboard';
import { MenuAtPoint, MenuItem, MenuLine } from '../controls/menu';
import type { MenuTarget, WindowPoint } from '../flow-picture/picture-context';
import type { Place, Step } from '../flow-picture/step';
import { branchesOf } from './edit-flow';
import { placeAtRow } from './step-commands';
import { findStep } from './step-tree';
import type { StepActions } from './use-step-actions';
import { words } from './panel-words';

export interface OpenMenu {
  target: MenuTarget;
  point: WindowPoint;
}

interface StepMenuProps {
  menu: OpenMenu;
  trigger: Step;
  canEdit: boolean;
  actions: StepActions;
  onOpen: (name: string) => void;
  onAdd: (place: Place, after: string) => void;
  onRename: (name: string) => void;
  onPaste: (place: Place) => void;
  onNote: (at: { x: number; y: number }) => void;
  onClose: () => void;
}

/** What can be done with what was clicked, or has the focus. */
export function StepMenu(props: StepMenuProps) {
  const { menu, onClose } = props;
  return (
    <MenuAtPoint point={menu.point} label={words.menu} onClose={onClose}>
      <Items {...props} target={menu.target} />
    </MenuAtPoint>
  );
}

function Items({ target, ...props }: StepMenuProps & { target: MenuTarget }) {
  const { canEdit, onAdd, onPaste, onNote, trigger } = props;
  if (target.kind === 'step') {
    const step = findStep(trigger, target.name);
    return step && <StepItems {...props} step={step} isTrigger={step === trigger} />;
  }
  if (target.kind === 'canvas') return <MenuItem onChoose={() => onNote(target)}>{words.addNoteHere}</MenuItem>;
  const { place, after } = target;
  const branch = branchAt(trigger, place);
  return (
    <>
      <MenuItem isDisabled={!canEdit} hint="A" onChoose={() => onAdd(place, after)}>
        {words.addStep}
      </MenuItem>
      <MenuItem isDisabled={!canEdit} hint="Ctrl V" onChoose={() => onPaste(place)}>
        {words.pasteHere}
      </MenuItem>
      {branch && <BranchItems {...props} {...branch} />}
    </>
  );
}

interface Branch {
  stepName: string;
  branchIndex: number;
  /** How many branches with conditions the router has. The fallback can be neither moved nor deleted. */
  movable: number;
}

function branchAt(trigger: Step, { parentStep: stepName, branchIndex }: Place): Branch | null {
  const router = findStep(trigger, stepName);
  if (!router || branchIndex === undefined) return null;
  const branches = branchesOf(router) as { branchType?: string }[];
  const fallback = branches.findIndex(({ branchType }) => branchType === 'FALLBACK');
  return { stepName, branchIndex, movable: fallback < 0 ? branches.length : fallback };
}

function BranchItems({ stepName, branchIndex, movable, canEdit, actions }: StepMenuProps & Branch) {
  const isFixed = !canEdit || branchIndex >= movable;
  const moveTo = (targetBranchIndex: number) =>
    actions.edit([{ type: 'MOVE_BRANCH', request: { stepName, sourceBranchIndex: branchIndex, targetBranchIndex } }]);
  return (
    <>
      <MenuLine />
      <MenuItem isDisabled={isFixed || branchIndex === 0} onChoose={() => moveTo(branchIndex - 1)}>
        {words.moveBranchLeft}
      </MenuItem>
      <MenuItem isDisabled={isFixed || branchIndex === movable - 1} onChoose={() => moveTo(branchIndex + 1)}>
        {words.moveBranchRight}
      </MenuItem>
      <MenuItem
        isDisabled={isFixed}
        onChoose={() => actions.edit([{ type: 'DELETE_BRANCH', request: { stepName, branchIndex } }])}
      >
        {words.deleteThisBranch}
      </MenuItem>
    </>
  );
}

interface StepItemsProps extends StepMenuProps {
  step: Step;
  isTrigger: boolean;
}

function StepItems({ step, isTrigger, canEdit, trigger, actions, ...on }: StepItemsProps) {
  const at = placeAtRow(trigger, step.name);
  const isFixed = isTrigger || !canEdit;
  return (
    <>
      <MenuItem hint="Enter" onChoose={() => on.onOpen(step.name)}>
        {words.openSettings}
      </MenuItem>
      <MenuItem isDisabled={!canEdit} hint="F2" onChoose={() => on.onRename(step.name)}>
        {words.renameStep}
      </MenuItem>
      <MenuItem isDisabled={!canEdit} hint="A" onChoose={() => at && on.onAdd(at.place, at.after)}>
        {words.addStepBehind}
      </MenuItem>
      <MenuLine />
      <MenuItem isDisabled={isTrigger} hint="Ctrl C" onChoose={() => void copyText(actions.copied() ?? '')}>
        {words.copy}
      </MenuItem>
      <MenuItem
        isDisabled={isFixed}
        hint="Ctrl X"
        onChoose={() => {
          void copyText(actions.copied() ?? '');
          actions.remove();
        }}
      >
        {words.cut}
      </MenuItem>
      <MenuItem isDisabled={!canEdit} hint="Ctrl V" onChoose={() => at && on.onPaste(at.place)}>
        {words.pasteBehind}
      </MenuItem>
      <MenuItem isDisabled={isFixed} hint="Ctrl D" onChoose={actions.duplicate}>
        {words.duplicate}
      </MenuItem>
      <MenuLine />
      <MenuItem isDisabled={isFixed} hint="Alt ↑" onChoose={actions.moveUp}>
        {words.moveUp}
      </MenuItem>
      <MenuItem isDisabled={isFixed} hint="Alt ↓" onChoose={actions.moveDown}>
        {words.moveDown}
      </MenuItem>
      <MenuItem isDisabled={isFixed} hint="S" onChoose={actions.skip}>
        {step.skip ? words.doNotSkip : words.skip}
      </MenuItem>
      <MenuLine />
      <MenuItem isDisabled={isFixed} hint="Delete" onChoose={actions.remove}>
        {words.delete}
      </MenuItem>
    </>
  );
}

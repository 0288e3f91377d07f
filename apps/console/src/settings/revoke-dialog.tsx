import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../controls/confirm-dialog';
import { revokeKey, type ApiKey } from './api-key-queries';
import { keyWords as words } from './words';

interface RevokeDialogProps {
  apiKey: ApiKey;
  onClose: () => void;
}

export function RevokeDialog({ apiKey: { id, displayName }, onClose }: RevokeDialogProps) {
  const queries = useQueryClient();
  const revoke = async () => {
    await revokeKey(id);
    await queries.invalidateQueries({ queryKey: ['api-keys'] });
  };
  return (
    <ConfirmDialog title={words.revokeTitle} verb={words.revokeNow} onConfirm={revoke} onClose={onClose}>
      <p>{words.revokePlan(displayName)}</p>
    </ConfirmDialog>
  );
}

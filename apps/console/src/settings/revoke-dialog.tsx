import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { Problem } from '../controls/problem';
import { revokeKey, type ApiKey } from './api-key-queries';
import { words } from './words';

interface RevokeDialogProps {
  apiKey: ApiKey;
  onClose: () => void;
}

export function RevokeDialog({ apiKey: { id, displayName }, onClose }: RevokeDialogProps) {
  const queries = useQueryClient();
  const revoking = useMutation({
    mutationFn: () => revokeKey(id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['api-keys'] });
      onClose();
    },
  });
  return (
    <Dialog title={words.revokeTitle} isOpen onClose={onClose}>
      <p>{words.revokePlan(displayName)}</p>
      {revoking.error && <Problem error={revoking.error} />}
      <DialogActions>
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button isMain disabled={revoking.isPending} onClick={() => revoking.mutate()}>
          {words.revokeNow}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

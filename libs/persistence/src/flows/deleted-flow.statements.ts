import type { Send } from '../postgres/send';

// The hooks that take back what a deleted flow has registered elsewhere need its store, which says what that is, and the
// secrets of its trigger. Both go with the last operation of the flow, in the transaction that ends it.

const FORGET = `
  with gone as (
    select $1::uuid as id
    where not exists (select from flow where id = $1)
      and not exists (select from trigger_operation where flow_id = $1 and kind <> 'TESTING')
  ), secrets as (
    delete from trigger_secret where flow_id in (select id from gone)
  )
  delete from store_entry where scope = 'FLOW' and scope_id in (select id from gone) returning id`;

/** Deletes the store and the secrets of a deleted flow, unless one of its operations is still to be performed. */
export async function forgetDeletedFlow(send: Send, flowId: string): Promise<void> {
  await send(FORGET, [flowId]);
}

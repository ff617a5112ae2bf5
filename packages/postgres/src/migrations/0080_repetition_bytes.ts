/** The bytes of stored responses are counted for their account, so that a quota bounds them. */
export const repetitionBytes = {
  id: 80,
  name: "repetition_bytes",
  sql: `
create trigger gatewarden_idempotency_record_answered after update on gatewarden_idempotency_record
  for each row when (octet_length(old.sealed) is distinct from octet_length(new.sealed)) execute function gatewarden_count_repetitions();
create trigger gatewarden_idempotency_record_forgotten after delete on gatewarden_idempotency_record
  referencing old table as removed for each statement execute function gatewarden_count_repetitions();

insert into gatewarden_stored_amount (account_id, kind, workspace_id, rows, bytes)
select account_id, 'idempotency_answer', '00000000-0000-0000-0000-000000000000', 0, sum(octet_length(sealed))
from gatewarden_idempotency_record where sealed is not null group by account_id;
`
} as const

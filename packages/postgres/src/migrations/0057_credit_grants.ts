/** What the operator has granted to accounts: entries that are appended, each with the total after it. */
export const creditGrants = {
  id: 57,
  name: "credit_grants",
  sql: `
create table gatewarden_credit_grant (
  id uuid not null,
  account_id uuid not null references gatewarden_account (id),
  -- In the order of the account's entries, from 1.
  number integer not null,
  amount_nanos bigint not null,
  total_nanos bigint not null check (total_nanos >= 0),
  note text collate "C" not null,
  created_at timestamptz not null,
  primary key (account_id, number)
);

create trigger gatewarden_credit_grant_recorded after insert or delete on gatewarden_credit_grant
  for each row execute function gatewarden_record_credit_grant();
create trigger gatewarden_credit_grant_rerecorded after update on gatewarden_credit_grant
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_credit_grant();
`
} as const

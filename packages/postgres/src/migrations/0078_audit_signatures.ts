/**
 * Who can write to the database can compute a chain's hashes anew; its end is signed with the keyring, and checked against what was signed.
 *
 * A background job signs the ends that `is_signed` does not mark. Chains that were sealed before are signed as they are.
 */
import { tenantPolicy } from "./tenantPolicy.ts"

export const auditSignatures = {
  id: 78,
  name: "audit_signatures",
  sql: `
create table gatewarden_audit_signature (
  account_id uuid primary key,
  -- Position, hash and the first position that was signed, encrypted.
  sealed bytea not null
) with (fillfactor = 70);

alter table gatewarden_audit_chain add column is_signed boolean not null default false;
create index gatewarden_audit_chain_unsigned on gatewarden_audit_chain (owner) where not is_signed;

${tenantPolicy("gatewarden_audit_signature")}
`
} as const

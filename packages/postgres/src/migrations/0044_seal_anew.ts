/**
 * Changes are sealed anew, since their hashes are computed otherwise: over a digest of each change, in which the rows before and after it
 * stand as they are. The first sealing seals all that is kept, numbered from 1.
 */
export const sealAnew = {
  id: 44,
  name: "seal_anew",
  sql: `
delete from gatewarden_audit_seal;
delete from gatewarden_audit_chain;
delete from gatewarden_audit_horizon;
`
} as const

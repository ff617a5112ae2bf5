/** A hold may be charged in full when it expires (Rule: admissions#charge-on-expiry). The column gets no value in rows that exist. */
export const chargedHolds = {
  id: 85,
  name: "charged_holds",
  sql: `
alter table gatewarden_hold add column is_charged_on_expiry boolean not null default false;
`
} as const

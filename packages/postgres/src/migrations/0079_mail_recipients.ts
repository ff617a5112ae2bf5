/**
 * Which addresses have agreed to get an account's alerts by mail (Rule: alerts#recipients).
 *
 * Addresses that channels name already count as confirmed: an upgrade must not silence alerts that somebody relies on.
 */
import { tenantPolicy } from "./tenantPolicy.ts"

export const mailRecipients = {
  id: 79,
  name: "mail_recipients",
  sql: `
create table gatewarden_mail_recipient (
  account_id uuid not null,
  -- In lower case.
  address text collate "C" not null,
  -- Of the link that was sent last; null if none was.
  token_hash text collate "C",
  link_ends_at timestamptz,
  confirmed_at timestamptz,
  primary key (account_id, address)
);
create unique index gatewarden_mail_recipient_token on gatewarden_mail_recipient (token_hash) where token_hash is not null;

insert into gatewarden_mail_recipient (account_id, address, confirmed_at)
select distinct c.account_id, lower(named.address), now()
from gatewarden_alert_channel c cross join lateral json_array_elements_text(c.config -> 'to') as named (address)
where c.type = 'email';

create trigger gatewarden_alert_channel_renamed after update on gatewarden_alert_channel
  referencing old table as removed for each statement execute function gatewarden_forget_recipients();
create trigger gatewarden_alert_channel_forgotten after delete on gatewarden_alert_channel
  referencing old table as removed for each statement execute function gatewarden_forget_recipients();

${tenantPolicy("gatewarden_mail_recipient")}
`
} as const

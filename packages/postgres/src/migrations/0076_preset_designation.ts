/**
 * Who may designate versions of presets (Rule: presets#who-designates): how a key was issued, and what its workspace says.
 *
 * The audit log knows how a key was made, and the grant of a code which key it was spent for. A key is taken for an ordinary one if both
 * were pruned.
 */
export const presetDesignation = {
  id: 76,
  name: "preset_designation",
  sql: `
alter table gatewarden_workspace add column presets_designated_by text collate "C" not null default 'any_key'
  constraint gatewarden_workspace_presets check (presets_designated_by in ('any_key', 'creator', 'management_keys'));

alter table gatewarden_api_key add column issued_by text collate "C"
  constraint gatewarden_api_key_issued check (issued_by is null or (issued_by in ('consent', 'exchange') and kind = 'normal'));

update gatewarden_api_key k set issued_by = made.issued_by from (
  select id, case operation when 'exchangeToken' then 'exchange' when 'exchangeAuthorizationCode' then 'consent' end
  from (
    select id, case when starts_with(acting, '{') then acting::json ->> 'operation' end as operation
    from gatewarden_changes where noun = 'key' and action = 'create'
  ) recorded
  where operation in ('exchangeToken', 'exchangeAuthorizationCode')
  union
  select key_hash, 'consent' from gatewarden_authorization_code where key_hash is not null
) made (hash, issued_by) where k.hash = made.hash and k.kind = 'normal';
`
} as const

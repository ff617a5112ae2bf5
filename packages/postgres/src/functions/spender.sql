-- The spender of a budget, by its scope.
create or replace function gatewarden_spender(scope text)
returns text language sql immutable as $body$
  select case scope
    when 'workspace_default_member' then 'workspace_user'
    when 'workspace_default_key' then 'key'
    when 'member' then 'user'
    when 'key' then 'key'
    when 'key_limit' then 'key'
    when 'workspace_budget' then 'workspace'
  end
$body$

-- The amounts of a workspace and of a guardrail go with it. Warnings and alerts outlive their workspace.
create or replace function gatewarden_forget_workspace_amounts()
returns trigger language plpgsql as $body$
begin
  delete from gatewarden_stored_amount where workspace_id in (select id from removed) and kind not in ('warning', 'alert');
  return null;
end
$body$

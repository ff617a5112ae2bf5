-- Counts versions of presets, which go with nothing else than their workspace.
create or replace function gatewarden_count_preset_versions()
returns trigger language plpgsql as $body$
begin
  perform gatewarden_add_stored(array_agg(p.account_id), 'preset_version', array_agg(p.workspace_id), array_agg(1),
    array_agg(octet_length(a.config::text) + octet_length(a.system_prompt)))
  from added a join gatewarden_preset p on p.id = a.preset_id
  having count(*) > 0;
  return null;
end
$body$

/**
 * Compares rows of destinations as texts, because columns of type `json` have no equality. An update that changed nothing before such a column
 * failed, and with it the rotation of the keys that encrypt.
 */
export const comparedDestinations = {
  id: 48,
  name: "compared_destinations",
  sql: `
drop trigger gatewarden_destination_rerecorded on gatewarden_destination;
create trigger gatewarden_destination_rerecorded after update on gatewarden_destination
  for each row when ((old.*)::text is distinct from (new.*)::text) execute function gatewarden_record_destination();
`
} as const

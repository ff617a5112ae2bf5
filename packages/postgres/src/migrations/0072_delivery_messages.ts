/** What platforms answered, which may repeat prompts, is replaced by words of Gatewarden. */
const said = (status: string): string =>
  `case when ${status} is null then 'The platform did not answer.' else 'The platform answered ' || ${status} || '.' end`

export const deliveryMessages = {
  id: 72,
  name: "delivery_messages",
  sql: `
update gatewarden_dead_letter set message = ${said("status")};
update gatewarden_delivery_attempt set message = ${said("status")} where message is not null;
update gatewarden_delivery_state set last_message = ${said("last_status")} where last_message is not null;
`
} as const

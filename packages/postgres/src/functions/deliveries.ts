import { type SelectedEvents, type UsageEvent, weighBody } from "@gatewarden/core/internal"

/**
 * Runs of selected events: those that follow each other, were recorded together and are for the same destinations. A run is one row of the
 * stream of deliveries. An event with bodies is a run of its own, because bodies go when their event was delivered. A run with long traces or
 * tags is short, because a batch reads a run whole.
 *
 * The sequence of the stream leaves room for a few more.
 */
const mostTogether = 1_000
const mostCharacters = 262_144

const weightOf = ({ trace, classifiers }: UsageEvent): number =>
  trace === null && classifiers === null ? 0 : weighBody([trace, classifiers], mostCharacters)

/** For each event the number of the first one of its run, from 1 on; `null` for an event that nobody receives. */
export const runsOf = (events: readonly UsageEvent[], selected: SelectedEvents): readonly (number | null)[] => {
  let run = 0
  let size = 0
  let weight = 0
  let first: UsageEvent | undefined
  let destinations: readonly string[] | undefined
  return events.map((event, index) => {
    const one = selected.get(event)
    if (one === undefined || one.destinations.length === 0) return null
    const own = weightOf(event)
    const isAlike =
      one.destinations === destinations &&
      size < mostTogether &&
      weight + own <= mostCharacters &&
      event.workspace_id === first?.workspace_id &&
      event.recorded_at === first.recorded_at
    if (!isAlike || one.sealed_bodies !== null) {
      run = index + 1
      size = 0
      weight = 0
      first = event
      destinations = one.sealed_bodies === null ? one.destinations : undefined
    }
    size++
    weight += own
    return run
  })
}

/**
 * Inserts the rows of runs, in their order, from a table or query with `run`, `place`, `account_id`, `workspace_id`, `recorded_at`, `id`,
 * `destinations` as text, `sealed_bodies` and `event_bytes`. What is alike in a run is taken from any of its events.
 */
export const insertRuns = (source: string): string => `
    insert into gatewarden_delivery
      (account_id, workspace_id, recorded_at, event_id, following_ids, events, destinations, sealed_bodies, event_bytes)
    select r.account_id, r.workspace_id, r.recorded_at, r.ids[1], r.ids[2:], cardinality(r.ids), r.destinations::uuid[], r.sealed_bodies,
      r.event_bytes
    from (
      select e.run, array_agg(e.id order by e.place) as ids, (array_agg(e.account_id))[1] as account_id,
        (array_agg(e.workspace_id))[1] as workspace_id, (array_agg(e.recorded_at))[1] as recorded_at,
        (array_agg(e.destinations))[1] as destinations, (array_agg(e.sealed_bodies))[1] as sealed_bodies,
        sum(e.event_bytes) as event_bytes
      from ${source} e where e.run is not null group by e.run
    ) r order by r.run`

/** Bytes of the fields of an event that may be long, where it is recorded: reading their size later would mean reading them. */
export const bytesOfEvent = (event: string): string =>
  `coalesce(octet_length(${event}.trace::text), 0) + coalesce(octet_length(${event}.classifiers::text), 0)`

/** How many events of a row lie behind a position. The places of a row's events end with its own. */
export const eventsAfter = (row: string, xact: string, seq: string): string =>
  `case when ${row}.xact = ${xact} then least(${row}.events, ${row}.seq - ${seq}) else ${row}.events end`

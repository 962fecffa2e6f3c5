import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

const CLAIM = `
  update dms set lease = $2, holder = 'floor', claimed_at = now(), lease_expires_at = now() + interval '2 minutes'
  where id = (
    select id from dms where campaign_id = $1 and not is_follow_up and status = 'queued' and lease_expires_at is null and not is_held
    order by due_at, id limit 1 for update skip locked
  ) returning id`
const RECORD = `
  update dms set status = 'sent', sent_at = now(), x_event_id = $2, lease_expires_at = null where id = $1 and lease = $3`

/**
 * Does the least work that sending messages can take: one UPDATE to claim each message and one to
 * record it, through `pg` alone. Runs on `concurrency` connections until `isOver`.
 * @returns the milliseconds of each claim and of each message
 */
export async function sendBare(
  url: string,
  concurrency: number,
  isOver: () => boolean,
): Promise<{ claims: number[]; times: number[] }> {
  const done: { claims: number[]; times: number[] } = { claims: [], times: [] }
  await Promise.all(
    Array.from({ length: concurrency }, async (_, hand) => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      const { rows: campaigns } = await client.query<{ id: string }>('select id from campaigns order by id')
      for (let turn = hand, empty = 0; !isOver() && empty < campaigns.length; turn += concurrency) {
        const lease = randomUUID()
        const start = performance.now()
        const { rows } = await client.query(CLAIM, [campaigns[turn % campaigns.length]?.id, lease])
        empty = rows[0] ? 0 : empty + 1
        if (!rows[0]) continue
        const claimedAt = performance.now()
        await client.query(RECORD, [rows[0].id, randomUUID(), lease])
        done.claims.push(claimedAt - start)
        done.times.push(performance.now() - start)
      }
      while (!isOver()) await sleep(10)
      await client.end()
    }),
  )
  return done
}

import { eq } from 'drizzle-orm'
import { formatNumber } from '../contract/src/format.ts'
import { PLAN_LEVELS } from '../contract/src/platform/plans.ts'
import type { Actor } from '../server/src/actor.ts'
import { insert, queue } from '../server/src/core/campaigns/campaign.ts'
import { recountLeads } from '../server/src/core/people/lead-counts.ts'
import { newSteps, ONE_STEP } from '../server/src/core/sequences/steps.ts'
import { campaigns } from '../server/src/core/tables/campaigns.ts'
import { migrateDatabase } from '../server/src/db/migrate.ts'
import { type Database, openDatabase } from '../server/src/db/open.ts'
import { openScratchCluster } from '../server/test/scratch-cluster.ts'
import { load, timed } from './measuring/times.ts'
import { quantile } from './sending/processes.ts'
import { fillQueue } from './sending/seed.ts'
import { openSenderServices, sealer } from './sending/services.ts'

/* Measures the launch of a campaign for 100,000 leads (BENCH_LEADS): two variants with a name, a
   handle and columns of the imported file. The floor inserts the same messages again. */

const LEADS = Number(process.env.BENCH_LEADS ?? 100_000)
const ROUNDS = 3
const VARIANTS = [
  'Hi {lead_name}, I saw what {company|your team} does in {city|your city}. We help people in a role like {role|yours} to answer every message on the same day. May I send you two examples?',
  'Hello {lead_name|friend}, is @{twitter_handle} still the best way to reach {company|your team}? I have a short question about how you plan your week in {city|your city}.',
]

const cluster = await openScratchCluster({ log: () => {}, settings: { fsync: 'on', synchronous_commit: 'on' } })
try {
  await migrateDatabase(cluster.url)
  const database = openDatabase(cluster.url)
  const { services, close } = openSenderServices(database, { dailyDmCap: 500 })
  // Remove the plan's limit, because every plan allows fewer messages.
  Object.assign(PLAN_LEVELS.free, { dms: null })
  await fillQueue(database, sealer, { accounts: 1, messages: LEADS, queued: false })
  const [filled] = await database.db.delete(campaigns).returning()
  if (!filled) throw new Error('no campaign was inserted')
  await database.pool.query(
    `update leads set metadata = jsonb_build_object('company', 'Company ' || name, 'Role', 'Founder', 'city', 'City ' || length(name), 'plan', name)`,
  )
  await database.pool.query('vacuum analyze leads')
  const actor = { workspaceId: filled.workspaceId, userId: null, role: 'owner' } as unknown as Actor
  const variants = VARIANTS.map((messageTemplate) => ({ messageTemplate, weight: 1, isActive: true }))
  const ours: number[] = []
  const floors: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const { leadListId, xAccountId } = filled
    const steps = newSteps({ steps: [{ ...ONE_STEP, variants }] })
    const draft = { name: 'launch', channel: 'api' as const, status: 'draft' as const, leadListId, xAccountId }
    const id = await insert(database.db, actor, draft, steps)
    ours.push(
      await timed(async () => {
        const { dmsQueued } = await queue(database.db, services.env, actor, { id })
        if (dmsQueued !== LEADS) throw new Error(`${dmsQueued} messages were queued`)
      }),
    )
    floors.push(await insertAgain(database))
    await database.db.delete(campaigns).where(eq(campaigns.id, id))
    await database.pool.query(`update leads set dm_status = 'not_sent'`)
    await recountLeads(database.db)
    await database.pool.query('vacuum analyze dms, enrollments, leads')
  }
  const [our, floor] = [quantile(ours, 0.5), quantile(floors, 0.5)]
  const took = (ms: number) =>
    `${(ms / 1_000).toFixed(1)} s   ${formatNumber(Math.round((LEADS / ms) * 1_000))} messages/s`
  console.log(`  a campaign for ${formatNumber(LEADS)} leads is launched   (load ${load()})`)
  console.log(`  ours   ${took(our)}`)
  console.log(`  floor  ${took(floor)}   one INSERT of the same messages`)
  console.log(`  ours / floor  ${(floor / our).toFixed(2)}`)
  await close()
  await database.close()
} finally {
  await cluster.close()
}

/** Replaces all messages with copies. @returns the milliseconds of their INSERT */
async function insertAgain({ pool }: Database): Promise<number> {
  await pool.query('create table copies as select * from dms')
  await pool.query('delete from dms')
  await pool.query('vacuum analyze dms, copies')
  const { rows } = await pool.query<{ names: string }>(
    `select string_agg(quote_ident(attname), ', ') as names from pg_attribute
     where attrelid = 'dms'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
  )
  const names = rows[0]?.names
  const ms = await timed(() => pool.query(`insert into dms (${names}) select ${names} from copies`))
  await pool.query('drop table copies')
  return ms
}

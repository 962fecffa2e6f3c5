import '../server/src/connect-core.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import { eq, sql } from 'drizzle-orm'
import type { Actor, WorkspaceScope } from '../server/src/actor.ts'
import { findCurrentAccount } from '../server/src/core/messages/accounts.ts'
import { claimOne } from '../server/src/core/messages/claim-campaign.ts'
import { recountMessages } from '../server/src/core/messages/counts.ts'
import { reportOutcome } from '../server/src/core/messages/record.ts'
import { campaigns } from '../server/src/core/tables/campaigns.ts'
import { leads } from '../server/src/core/tables/leads.ts'
import { dms } from '../server/src/core/tables/messages.ts'
import { openDatabase } from '../server/src/db/open.ts'
import { subscriptions } from '../server/src/domains/platform/billing/tables.ts'
import { xAccounts } from '../server/src/domains/platform/x-account/tables.ts'
import { withAccount } from '../server/src/domains/platform/x-account/tokens.ts'
import { createXApps } from '../server/src/domains/platform/x-apps/engine.ts'
import { createXMeters } from '../server/src/domains/platform/x-costs/meter.ts'
import { readEnv } from '../server/src/env.ts'
import { openLog } from '../server/src/log.ts'
import { XError } from '../server/src/outside/x-errors.ts'
import { Refusal } from '../server/src/refusal.ts'
import { createSealer } from '../server/src/sealing.ts'
import type { DemoAccount, SeedMessage } from './demo.ts'

/** The password is public, so this account is only created on loopback. */
const DEMO: DemoAccount = { email: 'demo@x-automated.example', password: 'Demo-account-1' }

const SENDER = 'demo_founder'
const FINISHED = 'Founders: early access'
const RUNNING = 'Indie makers: feedback'
const FINISHED_DAYS_AGO = 3
/** Time between two messages of the finished campaign. */
const MINUTES_BETWEEN = 4

process.once('disconnect', () => process.exit(1))
process.once('message', async (message) => {
  try {
    await seed(message as SeedMessage)
    process.send?.(DEMO, () => process.exit())
  } catch (error) {
    console.error((error as Error).message)
    process.exit(1)
  }
})

/**
 * Fills the demo workspace through the API: an X account, two scrapes, two lists, a finished
 * campaign and a running one. If it was killed, running it again completes the data.
 */
async function seed(options: SeedMessage): Promise<void> {
  const client = await signIn(options)
  const me = await client.auth.me()
  await giveAgencyPlan(options.databaseUrl, me.workspace.id)
  if (!(await client.xAccount.status()).connected) {
    await client.xAccount.connect({ username: SENDER, password: DEMO.password })
  }
  const { accounts } = await client.xAccount.list()
  for (const { id, storesConversations } of accounts)
    if (storesConversations === null)
      await client.xAccount.consent({ id, storesConversations: true, offersUnknownSenders: true })
  await Promise.all([
    scrape(client, 'f320_founders', { minFollowers: 100, maxFollowers: 1_000_000 }),
    scrape(client, 'f400_makers', { minFollowers: 0, maxFollowers: 1_000_000 }),
  ])
  const founders = await fillList(client, {
    name: 'Founders with an audience',
    description: 'Follow @f320_founders, 1,000 followers or more',
    source: 'f320_founders',
    limit: 36,
    minFollowers: 1_000,
  })
  const makers = await fillList(client, {
    name: 'Indie makers',
    description: 'Everyone who follows @f400_makers',
    source: 'f400_makers',
    limit: 400,
  })

  const { campaigns: present } = await client.campaigns.list({})
  if (!present.some((campaign) => campaign.name === FINISHED && campaign.status === 'completed')) {
    const { id } =
      present.find((campaign) => campaign.name === FINISHED) ??
      (await client.campaigns.create({
        name: FINISHED,
        leadListId: founders,
        messageTemplate:
          'Hi {first_name}, I read your posts on building in public. We open early access this week: may I send you the link?',
        status: 'draft',
        // Sent below, without the worker's interval.
        channel: 'extension',
      }))
    await finishCampaign(options, { campaignId: id, actor: actorOf(me) })
  }
  if (!present.some((campaign) => campaign.name === RUNNING)) {
    const { id } = await client.campaigns.create({
      name: RUNNING,
      leadListId: makers,
      steps: [
        {
          variants: [
            'Hey {first_name}! {twitter_handle} caught my eye. Could I ask you two questions about how you find users?',
            'Hi {first_name}, how did you find your first ten users? I collect answers and share them with everyone who replies.',
          ].map((messageTemplate) => ({ messageTemplate })),
        },
        {
          delay: { amount: 3, unit: 'days' },
          variants: [
            { messageTemplate: 'One line would already help, {first_name}. Shall I send you what others said?' },
          ],
        },
      ],
      status: 'draft',
    })
    await client.campaigns.queue({ id })
  }
}

/** Lifts the demo's plan limits. No payment provider knows the plan, so it never ends. */
async function giveAgencyPlan(databaseUrl: string, workspaceId: string): Promise<void> {
  const database = openDatabase(databaseUrl)
  try {
    await database.db
      .insert(subscriptions)
      .values({ workspaceId, planId: 'agency_monthly', status: 'active', currentPeriodEnd: new Date('2100-01-01') })
      .onConflictDoNothing()
  } finally {
    await database.close()
  }
}

/** Signs in to the demo account. On the first run, signs up and opens the emailed link. */
async function signIn({ url, mailbox }: SeedMessage): Promise<Client> {
  const api = `${url}/api`
  const anonymous = createClient({ contract, url: api })
  const session = await anonymous.auth.signInEmail(DEMO).catch(async () => {
    await anonymous.auth.signUpEmail({ ...DEMO, name: 'Demo' })
    const token = new URL(await readEmailedLink(mailbox)).searchParams.get('token') ?? ''
    await anonymous.auth.confirmEmail({ token, password: DEMO.password })
    return anonymous.auth.signInEmail(DEMO)
  })
  if (!('token' in session)) throw new Error('The demo account has a second factor, so it cannot be seeded.')
  const { token } = session
  return createClient({ contract, url: api, tokens: { current: () => token } })
}

async function readEmailedLink(mailbox: string): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const response = await fetch(`${mailbox}/messages?to=${encodeURIComponent(DEMO.email)}`)
    const emails = (await response.json()) as { subject: string; text: string }[]
    const link = emails.find((email) => email.subject.startsWith('Confirm'))?.text.match(/https?:\/\/\S+/)?.[0]
    if (link) return link
    await sleep(100)
  }
  throw new Error('The confirmation email of the demo account did not arrive.')
}

async function scrape(
  client: Client,
  handle: string,
  bounds: { minFollowers: number; maxFollowers: number },
): Promise<void> {
  const { scrapes } = await client.scrapes.list({})
  if (scrapes.some((done) => done.twitterHandle === handle && done.status === 'completed')) return
  const { id } = await client.scrapes.create({ twitterHandle: handle, type: 'followers', ...bounds, keywords: [] })
  for (;;) {
    const { status, error } = await client.scrapes.find({ id })
    if (status === 'completed') return
    if (status === 'failed' || status === 'canceled') throw new Error(`The demo scrape of @${handle} ended: ${error}`)
    await sleep(50)
  }
}

interface DemoList {
  name: string
  description: string
  source: string
  limit: number
  minFollowers?: number
}

/** Creates a list of leads from one of the scrapes. @returns its id */
async function fillList(client: Client, { name, description, source, limit, minFollowers }: DemoList): Promise<string> {
  const { lists } = await client.lists.list({})
  const list = lists.find((candidate) => candidate.name === name) ?? (await client.lists.create({ name, description }))
  if (list.leadCount > 0) return list.id
  const { leads: everyone } = await readLeads(client, minFollowers)
  const leadIds = everyone.filter((lead) => lead.sourceProfile?.replace(/^@/, '') === source).slice(0, limit)
  await client.lists.addLeads({ id: list.id, leadIds: leadIds.map((lead) => lead.id) })
  return list.id
}

async function readLeads(client: Client, minFollowers?: number) {
  const first = await client.leads.list({ pageSize: 100, minFollowers })
  for (let page = 2; first.leads.length < (first.total ?? 0); page += 1) {
    first.leads.push(...(await client.leads.list({ pageSize: 100, page, minFollowers })).leads)
  }
  return first
}

function actorOf(me: Awaited<ReturnType<Client['auth']['me']>>): Actor {
  return {
    userId: me.id,
    sessionId: '',
    workspaceId: me.workspace.id as WorkspaceScope,
    role: me.workspace.role,
  }
}

/** Launches a campaign, sends its messages without an interval, and backdates it. */
async function finishCampaign(
  { dataDir, databaseUrl, x }: SeedMessage,
  { campaignId, actor }: { campaignId: string; actor: Actor },
): Promise<void> {
  const database = openDatabase(databaseUrl)
  const { db } = database
  try {
    const { queue } = await import('../server/src/core/campaigns/campaign.ts')
    const [campaign] = await db.select().from(campaigns).where(eq(campaigns.id, campaignId))
    const limits = { sendIntervalSeconds: 0, dailyDmCap: 500, isRealX: false, messageMills: 0, x: null }
    if (campaign?.status === 'draft') await queue(db, limits, actor, { id: campaignId })
    // The app's secret is not needed, because its tokens are fresh.
    const env = readEnv({ ...process.env, STAND_INS: 'on', DATA_DIR: dataDir, X_API_URL: x, X_CLIENT_ID: 'demo' })
    const xApps = createXApps(env)
    const needs = {
      database,
      x: xApps.operator?.x ?? null,
      xApps,
      xMeters: createXMeters({ database, isPriced: env.isXPriced, log: openLog('warn') }),
      sealer: createSealer(env.authSecret, 'x-automated x tokens'),
    }
    const account = await findCurrentAccount(db, actor.workspaceId)

    for (;;) {
      // The running server would otherwise apply the account's interval to the next message.
      if (account) await db.update(xAccounts).set({ nextSendAt: null }).where(eq(xAccounts.id, account.id))
      // The last message completes the campaign, so the next claim is refused.
      const context = { db, env: limits, jobs: { reschedule: async () => {} }, remember: async () => {} }
      const result = await claimOne(context, actor, { id: campaignId, holder: 'demo' }).catch((error: unknown) => {
        if (error instanceof Refusal) return null
        throw error
      })
      if (result?.status !== 200) break
      const { dmId, lease, leadId, message } = result.body
      const [lead] = await db.select().from(leads).where(eq(leads.id, leadId))
      const problem = await withAccount(needs, account?.id ?? '', (api, token) =>
        api.sendMessage(token, lead?.xUserId ?? '', message),
      ).then(
        () => null,
        (error: unknown) => (error instanceof XError ? error.message : String(error)),
      )
      await reportOutcome(db, actor, {
        id: dmId,
        lease,
        wasSent: problem === null,
        errorMessage: problem ?? undefined,
        outcomeUnknown: false,
      })
    }
    await backdate(db, campaignId)
  } finally {
    await database.close()
  }
}

async function backdate(db: ReturnType<typeof openDatabase>['db'], campaignId: string): Promise<void> {
  const start = sql`now() - make_interval(days => ${FINISHED_DAYS_AGO})`
  await db.transaction(async (tx) => {
    await tx.execute(sql`
      with placed as (
        select id, ${start} + make_interval(mins => (row_number() over (order by claimed_at, id))::int * ${MINUTES_BETWEEN}) as at
        from ${dms} where campaign_id = ${campaignId}
      )
      update ${dms} d set created_at = ${start}, claimed_at = p.at, updated_at = p.at, sent_at = case when d.sent_at is null then null else p.at end
      from placed p where p.id = d.id`)
    await tx.execute(sql`
      update ${campaigns} set channel = 'api', created_at = ${start} - interval '1 hour', queued_at = ${start},
        last_run_at = (select max(updated_at) from ${dms} where campaign_id = ${campaignId}),
        updated_at = (select max(updated_at) from ${dms} where campaign_id = ${campaignId})
      where id = ${campaignId}`)
    await recountMessages(tx, sql`id = ${campaignId}`)
  })
}

import { createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { confirmEmail, messagesAtX, openWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({}, { pages: false })
})

const PASSWORD = 'Correct-horse1'

/** Signs up, confirms the email and signs in. @returns a client that refreshes its token */
async function newClient(email: string) {
  const url = `${world.origin}/api`
  const anonymous = createClient({ contract, url })
  await anonymous.auth.signUpEmail({ email, password: PASSWORD })
  await confirmEmail(world, email)
  const signedIn = await anonymous.auth.signInEmail({ email, password: PASSWORD })
  if (!('token' in signedIn)) throw new Error('asked for a second factor')
  let session = signedIn
  return createClient({
    contract,
    url,
    tokens: {
      current: () => session.token,
      refresh: async () => {
        session = { ...session, ...(await anonymous.auth.refresh({ refreshToken: session.refreshToken })) }
        return session.token
      },
    },
  })
}

/** Connects X, scrapes a handle with this many followers, adds them to a list, and creates a draft campaign. */
async function prepare(
  client: Awaited<ReturnType<typeof newClient>>,
  { sender, followers }: { sender: string; followers: number },
) {
  await client.xAccount.connect({ username: sender, password: 'any eight or more' })
  const scrape = await client.scrapes.create({
    twitterHandle: `@allopen_f${followers}`,
    type: 'followers',
    minFollowers: 0,
    maxFollowers: 1_000_000_000,
    keywords: [],
  })
  await expect
    .poll(() => client.scrapes.find({ id: scrape.id }), { timeout: 120_000 })
    .toMatchObject({ status: 'completed' })
  const { total } = await client.leads.list({})
  expect(total).toBe(followers)
  const list = await client.lists.create({ name: 'Everyone' })
  expect(await client.lists.addLeads({ id: list.id, filter: {} })).toMatchObject({ changed: followers })
  return client.campaigns.create({
    name: 'Hello',
    leadListId: list.id,
    messageTemplate: 'Hi {lead_name}, I saw {twitter_handle} on X.',
    status: 'draft',
  })
}

/** Expects exactly one message at X for every lead, with the lead's name and handle. */
async function expectOneMessageEach(client: Awaited<ReturnType<typeof newClient>>, sender: string, count: number) {
  const sent = (await messagesAtX(world.x)).filter((dm) => dm.from.toLowerCase() === sender)
  const handles = sent.map((dm) => dm.to.toLowerCase())
  expect(sent).toHaveLength(count)
  expect(new Set(handles).size).toBe(count)
  const leads = []
  for (let page = 1; leads.length < count; page += 1)
    leads.push(...(await client.leads.list({ page, pageSize: 100 })).leads)
  expect(new Set(handles)).toEqual(new Set(leads.map((lead) => lead.twitterHandle.toLowerCase())))
  const textTo = new Map(sent.map((dm) => [dm.to.toLowerCase(), dm.text]))
  for (const lead of leads) {
    expect(textTo.get(lead.twitterHandle.toLowerCase())).toBe(
      `Hi ${lead.name || 'there'}, I saw @${lead.twitterHandle} on X.`,
    )
    expect(lead.dmStatus).toBe('contacted')
  }
}

describe('the main job, over the API alone', () => {
  it('runs from sign-up to a finished campaign', async () => {
    const client = await newClient('founder@example.com')
    const campaign = await prepare(client, { sender: 'founder_one', followers: 40 })
    expect(await client.campaigns.queue({ id: campaign.id })).toEqual({ success: true, dmsQueued: 40, totalLeads: 40 })
    await expect
      .poll(() => client.campaigns.find({ id: campaign.id }), { timeout: 120_000 })
      .toMatchObject({ status: 'completed' })
    expect(await client.campaigns.find({ id: campaign.id })).toMatchObject({
      totalLeadsInList: 40,
      dmsQueuedCount: 0,
      dmsSentCount: 40,
      dmsFailedCount: 0,
    })
    await expectOneMessageEach(client, 'founder_one', 40)
  })

  it('sends every lead exactly one message despite a kill -9 while sending', async () => {
    const client = await newClient('agency@example.com')
    await world.subscribe('agency@example.com')
    const campaign = await prepare(client, { sender: 'agency_one', followers: 400 })
    await client.campaigns.queue({ id: campaign.id })
    await expect
      .poll(async () => (await messagesAtX(world.x)).filter((dm) => dm.from === 'agency_one').length, {
        timeout: 120_000,
        interval: 10,
      })
      .toBeGreaterThan(20)
    await world.killServer()
    const before = (await messagesAtX(world.x)).filter((dm) => dm.from === 'agency_one').length
    expect(before).toBeLessThan(400)
    await world.startServer()
    await expect
      .poll(() => client.campaigns.find({ id: campaign.id }), { timeout: 120_000 })
      .toMatchObject({ status: 'completed' })
    expect(await client.campaigns.find({ id: campaign.id })).toMatchObject({
      dmsQueuedCount: 0,
      dmsSentCount: 400,
      dmsFailedCount: 0,
    })
    await expectOneMessageEach(client, 'agency_one', 400)
  })
})

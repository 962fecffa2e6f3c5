import { createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import { beforeAll, expect, it } from 'vitest'
import { expectSoundBothWays, openWorld, signUp, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const OWN = { id: 'own-app', secret: 'own-secret', consumerSecret: 'own-consumer', bearerToken: 'own-bearer' }

it('brings an own X app, replaces its secrets, and removes it again', async () => {
  await fetch(`${world.x.url}/_apps`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([OWN]),
  })
  const [page, person] = await Promise.all([world.openPage(), signUp(world, 'own-app@example.com')])
  await person.enter(page)
  const client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => person.token } })
  await client.xAccount.connect({ username: 'before_app', password: 'long enough' })

  world.expectConsole(/400 \(Bad Request\).*\/api\/x-app/)
  await page.goto('/settings')
  await page.getByRole('heading', { name: 'Your own X app' }).waitFor()
  await page.getByText('@before_app: 0 of 500 in 24 hours').waitFor()
  await page.getByText(`${world.origin}/api/session/callback`).waitFor()
  await page.getByRole('button', { name: 'Use your own X app' }).click()
  await page.getByRole('button', { name: 'Use this app', exact: true }).click()
  await page.getByText('Bearer token is required').waitFor()
  const fill = async (app: typeof OWN) => {
    await page.getByLabel('Client ID').fill(app.id)
    await page.getByLabel('Client secret').fill(app.secret)
    await page.getByLabel('Consumer secret').fill(app.consumerSecret)
    await page.getByLabel('Bearer token').fill(app.bearerToken)
  }
  await fill({ ...OWN, bearerToken: 'wrong' })
  expect(await page.getByLabel('Client secret').getAttribute('autocomplete')).toBe('off')
  await page.getByRole('button', { name: 'Use this app', exact: true }).click()
  await page.getByText('@before_app will be disconnected').waitFor()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
  expect((await client.xApp.find({})).app).toBeNull()
  await page.getByRole('button', { name: 'Use this app', exact: true }).click()
  await page.getByRole('button', { name: 'Disconnect and use this app' }).click()
  await page.getByText('X does not accept this.').waitFor()
  await expectSoundBothWays(page)
  expect((await client.xAccount.list()).accounts).toHaveLength(1)
  await page.getByLabel('Bearer token').fill(OWN.bearerToken)
  await page.getByRole('button', { name: 'Use this app', exact: true }).click()
  await page.getByRole('button', { name: 'Disconnect and use this app' }).click()
  await page.getByText('X app saved. Connect your X accounts with it.').waitFor()
  const { app } = await client.xApp.find({})
  await page.getByText(app!.webhookUrl).waitFor()
  expect((await client.xAccount.list()).accounts).toHaveLength(0)
  await expectSoundBothWays(page)

  // New secrets disconnect nothing, and the page shows that X refuses the webhook.
  await client.xAccount.connect({ username: 'with_app', password: 'long enough' })
  await page.reload()
  await page.getByRole('button', { name: 'Replace secrets' }).click()
  await fill({ ...OWN, consumerSecret: 'wrong' })
  await page.getByRole('button', { name: 'Save X app' }).click()
  await page.getByText(/^X couldn't verify our webhook/).waitFor()
  expect((await client.xAccount.list()).accounts).toHaveLength(1)
  await expectSoundBothWays(page)

  await page.getByRole('button', { name: 'Remove', exact: true }).last().click()
  await page.getByText('@with_app will be disconnected').waitFor()
  await page.getByRole('button', { name: 'Remove X app' }).click()
  await page.getByText('X app removed.').waitFor()
  expect((await client.xApp.find({})).app).toBeNull()
})

import { beforeAll, expect, it } from 'vitest'
import { callApiAs, expectSoundBothWays, importLeads, openWorld, signUp, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

it("shares a campaign's report under the workspace's own brand, until it is deleted", async () => {
  const email = 'reports@example.com'
  const [page, person] = await Promise.all([world.openPage(), signUp(world, email)])
  await person.enter(page)

  // Below Agency, each place says which plan includes reports, and links to it.
  await page.goto('/settings?tab=workspace')
  await page.getByText("Your plan doesn't include client reports").waitFor()
  await page.getByRole('region', { name: 'Workspace' }).getByRole('link', { name: 'See plans' }).waitFor()
  expect(await page.getByText('Upload logo').count()).toBe(0)
  await expectSoundBothWays(page)

  await world.subscribe(email)
  const call = (method: string, path: string, body?: unknown) =>
    callApiAs(world.origin, person.token, method, path, body)
  await importLeads(world, person.token, ['twitter_handle,name', 'somebody,Some Body'])
  const list = await call('POST', '/lists', { name: 'Everybody' })
  const { leads } = await call('GET', '/leads')
  await call('POST', `/lists/${list.id}/leads`, { leadIds: [leads[0].id] })
  const campaign = { name: 'Founders', leadListId: list.id, messageTemplate: 'Hello {lead_name}', status: 'draft' }
  const { id } = await call('POST', '/campaigns', campaign)

  await page.reload()
  const upload = page.getByLabel('Upload logo')
  await upload.setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') })
  await page.getByText('Logo must be a PNG, JPEG or WebP image.').waitFor()
  world.expectConsole(/status of 400/)
  await upload.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('<svg/>') })
  await page.getByRole('button', { name: 'Save branding' }).click()
  await page.getByText('Logo must be a PNG, JPEG or WebP image.').waitFor()
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await upload.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') })
  await page.getByLabel('Color').fill('#ffe600')
  await page.getByRole('button', { name: 'Save branding' }).click()
  await page.getByText('Branding saved.').waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
  await expectSoundBothWays(page)
  await page.getByRole('button', { name: 'Remove logo' }).click()
  await page.getByLabel('Upload logo').waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await page.locator('form:focus').waitFor()
  await page.getByRole('button', { name: 'Remove logo' }).waitFor()

  await page.goto(`/campaigns/${id}`)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Share report' }).click()
  const form = page.getByRole('dialog', { name: 'Share report' })
  await form.getByLabel('Title').fill('x'.repeat(101))
  await form.getByText('At most 100 characters.').waitFor()
  expect(await form.getByRole('button', { name: 'Share report' }).isDisabled()).toBe(true)
  await form.getByLabel('Title').fill('Founders in autumn')
  await form.getByLabel('Include the people who replied').check()
  await expectSoundBothWays(page)
  await form.getByRole('button', { name: 'Share report' }).click()
  const url = await page.getByRole('dialog', { name: 'Report shared' }).getByLabel('Link').inputValue()
  await page.getByRole('button', { name: 'Done' }).click()

  // A stranger opens the link. The page contains neither our name nor anything that stores the link.
  const reader = await world.openPage()
  const { pathname } = new URL(url)
  await reader.addInitScript(() => {
    const send = fetch
    window.fetch = async (request) => {
      const body = request instanceof Request ? await request.clone().text() : ''
      if (body.includes('path')) document.documentElement.dataset.counted = body
      return send(request)
    }
  })
  const response = await reader.goto(pathname)
  expect(response?.headers()).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  await reader.getByRole('heading', { name: 'Founders in autumn' }).waitFor()
  await reader.getByRole('row', { name: 'First message' }).waitFor()
  await reader.getByText('Nobody has replied yet.').waitFor()
  await expect.poll(() => reader.title()).toMatch(/^Founders in autumn · /)
  expect(await reader.locator('link[rel="icon"]').first().getAttribute('href')).toContain(PIXEL)
  expect(await reader.locator('body').innerText()).not.toContain('X-Automated')
  expect(await reader.getByRole('heading', { level: 1 }).evaluate((h1) => getComputedStyle(h1).color)).toBe(
    'rgb(0, 0, 0)',
  )
  await expectSoundBothWays(reader)
  expect(await reader.evaluate(() => document.documentElement.dataset.counted)).toBe('{"path":"/r/{token}"}')
  // In print, rows stay rows, and the chart fills the page's width.
  await reader.evaluate(() => dispatchEvent(new Event('beforeprint')))
  await reader.locator('table[data-narrow="rows"]').waitFor()
  await reader.emulateMedia({ media: 'print' })
  await reader.setViewportSize({ width: 718, height: 1046 })
  const chart = reader.locator('.recharts-surface').first()
  await expect.poll(async () => Math.round((await chart.boundingBox())?.width ?? 0)).toBe(718)
  await reader.emulateMedia({ media: 'screen' })

  // Members see the report as strangers do.
  await page.goto(pathname)
  await page.getByRole('heading', { name: 'Founders in autumn' }).waitFor()
  expect(await page.getByRole('navigation').count()).toBe(0)

  await page.goto('/twitter?tab=analytics')
  const row = page.getByRole('row').filter({ hasText: 'Founders in autumn' })
  await row.getByRole('button', { name: 'Copy link' }).waitFor()
  await row.getByText('Active').waitFor()
  await expectSoundBothWays(page)
  await row.getByRole('button', { name: 'Delete Founders in autumn' }).click()
  await page.getByRole('button', { name: 'Delete report' }).click()
  await page.getByText('No client reports yet').waitFor()
  world.expectConsole(/status of 404/)
  await reader.reload()
  await reader.getByRole('heading', { name: 'Report not found' }).waitFor()
  await expectSoundBothWays(reader)
})

/** A PNG image of one pixel, in base64. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

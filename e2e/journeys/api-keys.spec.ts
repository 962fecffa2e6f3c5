import { beforeAll, expect, it } from 'vitest'
import {
  expectSoundBothWays,
  expectSoundPage,
  openWorld,
  proofDialog,
  reauthenticate,
  signUp,
  type World,
} from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

it('creates an API key on the Agency plan, which works until it is deleted', async () => {
  const [page, person] = await Promise.all([world.openPage(), signUp(world, 'api-keys@example.com')])
  await person.enter(page)
  const create = page.getByRole('button', { name: 'Create API key' })
  await page.goto('/settings?tab=api')
  await page.getByText("Your plan doesn't include API access").waitFor()
  expect(await create.isDisabled()).toBe(true)
  await expectSoundBothWays(page)

  await world.subscribe('api-keys@example.com')
  await page.reload()
  await create.click()
  const form = page.getByRole('dialog', { name: 'Create API key' })
  await form.getByLabel('Name').fill('CRM sync')
  await form.getByRole('button', { name: 'Create API key' }).click()
  await form.getByText('Choose at least one scope.').waitFor()
  await expectSoundBothWays(page)
  await form.getByLabel('Everything').selectOption('Read')
  await form.getByLabel('Lists').selectOption('Read and write')
  await form.getByLabel('Expires').selectOption('90 days')
  await form.getByRole('button', { name: 'Create API key' }).click()
  world.expectConsole(/403/)
  await proofDialog(page).waitFor()
  await expectSoundBothWays(page)
  await proofDialog(page).getByRole('button', { name: 'Cancel' }).click()
  await form.getByRole('button', { name: 'Create API key' }).click()
  await reauthenticate(page)
  const dialog = page.getByRole('dialog', { name: 'Your API key' })
  const key = await dialog.getByLabel('API key').inputValue()
  expect(key).toMatch(/^xa_live_\w{49}$/)
  await expectSoundPage(page)
  await dialog.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row').filter({ hasText: 'CRM sync' })
  await row.getByText('Read and write: Lists', { exact: true }).waitFor()
  await row.getByText('Active').waitFor()
  await expectSoundBothWays(page)

  const call = async (path: string) => {
    const { status } = await fetch(`${world.origin}/api${path}`, { headers: { authorization: `Bearer ${key}` } })
    return status
  }
  expect([await call('/leads'), await call('/billing/overview')]).toEqual([200, 403])
  // With animations, the key must disappear before its dialog has faded.
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.getByRole('button', { name: 'Delete CRM sync' }).click()
  await page.getByRole('button', { name: 'Delete API key' }).click()
  await page.getByText('No API keys yet').waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel)).toBe('API keys')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await expectSoundPage(page)
  expect(await call('/leads')).toBe(401)
})

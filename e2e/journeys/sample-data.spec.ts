import { createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import { expect, it } from 'vitest'
import { expectSoundBothWays, openWorld, signUp } from '../world.ts'

it('loads sample data on Home, shows it marked on every page, and removes it', async () => {
  const world = await openWorld()
  const signedUp = await signUp(world, 'newcomer@example.com')
  const client = createClient({ contract, url: `${world.origin}/api`, tokens: { current: () => signedUp.token } })
  await client.xAccount.connect({ username: 'newcomer', password: 'any eight or more' })
  const page = await world.openPage()
  await signedUp.enter(page)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const bar = page.getByRole('region', { name: 'Sample data', exact: true })

  await page.goto('/dashboard')
  await button('Load sample data').first().click()
  await page.getByText('Sample data is loaded: 40 leads, 2 lists and 2 campaigns.').waitFor()
  await bar.waitFor()
  await expectSoundBothWays(page)

  await page.goto('/campaigns')
  await page.getByText('Meet indie founders (sample)').first().waitFor()
  await bar.waitFor()
  await page.goto('/lists')
  await page.getByText('Indie founders (sample)').first().waitFor()
  await bar.waitFor()
  await page.goto('/inbox')
  await page.getByText('Maya Ortiz').first().waitFor()
  await page.goto('/leads')
  await page.getByText('Grace Nakamura').first().waitFor()
  await expect.poll(() => page.getByText('Sample', { exact: true }).count()).toBe(10)
  await expectSoundBothWays(page)
  await page.goto('/leads?keyword=Maya')
  await button('Maya Ortiz').click()
  await page.getByRole('dialog').getByText('Sample', { exact: true }).waitFor()
  await page.getByRole('dialog').getByText('Does Thursday at 10 work for a call?').first().waitFor()
  await page.keyboard.press('Escape')
  await page.goto('/leads')

  await bar.getByRole('button', { name: 'Remove it', exact: true }).click()
  await page.getByRole('alertdialog', { name: 'Remove the sample data?' }).waitFor()
  await button('Remove sample data').click()
  await page.getByText('The sample data is removed.').waitFor()
  await page.getByText('No leads yet').waitFor()
  await button('Load sample data').first().waitFor()
  expect((await client.campaigns.list({})).total).toBe(0)
})

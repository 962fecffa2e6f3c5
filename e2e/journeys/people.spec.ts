import { beforeAll, expect, it } from 'vitest'
import {
  expectSoundBothWays,
  expectSoundPage,
  linkInMail,
  openWorld,
  PASSWORD,
  reauthenticate,
  signUp,
  type World,
} from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const PEOPLE = '/settings?tab=people'

it('invites someone by email, who logs in, works with their role and is removed', async () => {
  const friend = 'friend@example.com'
  const [page, theirs, owner] = await Promise.all([
    world.openPage(),
    world.openPage(),
    signUp(world, 'team@example.com'),
    signUp(world, friend),
  ])
  await owner.enter(page)
  await page.goto(PEOPLE)
  await page.getByText('Upgrade to Agency for a team of any size.').waitFor()
  await world.subscribe('team@example.com')
  await page.reload()
  await page.getByLabel('Name', { exact: true }).fill('Acme')
  await page.getByRole('button', { name: 'Save name' }).click()
  await page.getByText('Name saved.').waitFor()
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText('Invalid email format').waitFor()
  await page.getByLabel('Email address').fill(friend)
  await page.getByLabel('Viewer').check()
  await expectSoundPage(page)
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByRole('row').filter({ hasText: friend }).getByText('Viewer', { exact: true }).waitFor()

  // Guests log in first, then return to the invitation.
  await theirs.goto(await linkInMail(world.mailbox, friend, /^Join Acme/))
  await theirs.getByText('Viewer: View only.').waitFor()
  await expectSoundBothWays(theirs)
  await theirs.getByRole('link', { name: 'Log in', exact: true }).click()
  await theirs.getByLabel('Email').fill(friend)
  await theirs.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await theirs.getByRole('button', { name: 'Log In' }).click()
  await theirs.getByRole('button', { name: 'Join Acme' }).click()
  await theirs.waitForURL('**/dashboard')
  await theirs.goto(PEOPLE)
  await theirs.getByText("You're in Acme as a viewer").waitFor()
  await expectSoundBothWays(theirs)

  // Switches between workspaces.
  await theirs.getByRole('button', { name: 'Profile menu' }).click()
  await theirs.getByRole('menuitem', { name: 'Switch to friend' }).click()
  await theirs.waitForURL('**/dashboard')
  await theirs.getByText('Friends Referred', { exact: true }).waitFor()
  await theirs.getByRole('button', { name: 'Profile menu' }).click()
  await theirs.getByRole('menuitem', { name: 'Switch to Acme' }).click()
  await theirs.waitForURL('**/dashboard')

  // Changes apply to the next request: the old token is rejected, then refreshed.
  world.expectConsole(/401/)
  await page.reload()
  await page.getByLabel('Role of friend').selectOption('Member')
  await page.getByText('friend is now a member.').waitFor()
  await expectSoundBothWays(page)
  await theirs.goto(PEOPLE)
  await theirs.getByText("You're in Acme as a member").waitFor()
  await theirs.getByRole('tab', { name: 'API and sign-on' }).click()
  await theirs.getByText('Only the owner and admins can manage API keys').waitFor()

  // The API keys of an admin who is removed are suspended until another admin adopts them.
  await page.getByLabel('Role of friend').selectOption('Admin')
  await page.getByText('friend is now an admin.').waitFor()
  await theirs.reload()
  world.expectConsole(/403/)
  await theirs.getByRole('button', { name: 'Create API key' }).click()
  const form = theirs.getByRole('dialog', { name: 'Create API key' })
  await form.getByLabel('Name').fill('CRM sync')
  await form.getByLabel('Everything').selectOption('Read')
  await form.getByRole('button', { name: 'Create API key' }).click()
  await reauthenticate(theirs)
  const key = await theirs.getByRole('dialog', { name: 'Your API key' }).getByLabel('API key').inputValue()
  await page.reload()
  await page.getByRole('button', { name: 'More for friend' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByText('What they created stays, except their 1 API key. It is deleted unless you keep it.').waitFor()
  await page.getByLabel('Keep their 1 API key').check()
  await expectSoundPage(page)
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('friend was removed from the workspace.').waitFor()
  const call = () => fetch(`${world.origin}/api/leads`, { headers: { authorization: `Bearer ${key}` } })
  await expect.poll(async () => (await call()).status).toBe(401)
  await page.goto('/settings?tab=api')
  await page.getByText('Suspended', { exact: true }).waitFor()
  await expectSoundBothWays(page)
  await page.getByRole('button', { name: 'Adopt CRM sync' }).click()
  await expectSoundPage(page)
  await page.getByRole('button', { name: 'Adopt API key' }).click()
  await page.getByText('API key adopted.').waitFor()
  expect((await call()).status).toBe(200)
  for (const subject of [/^An API key was created$/, /^An API key was suspended$/, /^An API key was adopted$/])
    await linkInMail(world.mailbox, 'team@example.com', subject)
  // The removed person's page reloads automatically.
  await theirs.getByText("You no longer have access to your previous workspace. You're now in “friend”.").waitFor()
  await theirs.goto(PEOPLE)
  await theirs.getByText('Invitations expire after 7 days.').waitFor()
  await theirs.getByText('team@example.com').waitFor({ state: 'detached' })
})

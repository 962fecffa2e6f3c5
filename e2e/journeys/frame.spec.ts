import { RELEASE } from '@x-automated/contract/platform/early-features'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { callApi, expectSoundBothWays, expectSoundPage, openWorld, signUp, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Main' })
const tabBar = (page: Page) => page.getByRole('navigation', { name: 'Tabs' })
const current = (page: Page) => page.locator('header [aria-current]:visible').allInnerTexts()

it('leads to every page from the sidebar and marks the open one', async () => {
  const page = await world.openPage()
  await (await signUp(world, 'frame@example.com')).enter(page)
  await page.goto('/dashboard')
  const links = sidebar(page).getByRole('link')
  await links.first().waitFor()
  expect(await links.evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute('href')]))).toEqual([
    ['Home', '/dashboard'],
    ['Inbox', '/inbox'],
    ['Campaigns', '/campaigns'],
    ['Leads', '/leads'],
    ['Lists', '/lists'],
    ['Find leads', '/twitter?tab=scraper'],
    ['Analytics', '/twitter?tab=analytics'],
    ['X automation', '/twitter'],
    ['Leaderboard', '/leaderboard'],
    ['Refer friends', '/dashboard#refer'],
    ['Settings', '/settings'],
    ['Billing', '/billing'],
  ])
  for (const [name, heading, marked] of [
    ['Find leads', 'X Automation', ['Find leads', 'X automation']],
    ['Analytics', 'X Automation', ['Analytics', 'X automation']],
    ['Campaigns', 'Campaigns', ['Campaigns']],
    ['Leaderboard', 'X-Automated Referral Leaderboard', ['Leaderboard']],
    ['Home', 'Dashboard', ['Home']],
  ] as const) {
    await sidebar(page).getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
    await expect.poll(() => current(page)).toEqual(marked)
  }
  // The tabs of this page are in the top bar, next to the title.
  await page.goto('/twitter')
  await expect.poll(async () => (await page.getByRole('tablist').boundingBox())?.y).toBeLessThan(20)
  // A :has() on the root element restyles the whole page after every change.
  const selectors = await page.evaluate(() => {
    const all = (rules: CSSRuleList): string[] =>
      [...rules].flatMap((rule) => [
        ...(rule instanceof CSSStyleRule ? [rule.selectorText] : []),
        ...('cssRules' in rule ? all(rule.cssRules as CSSRuleList) : []),
      ])
    return [...document.styleSheets].flatMap(({ cssRules }) => all(cssRules))
  })
  expect(selectors.length).toBeGreaterThan(500)
  expect(selectors.filter((selector) => /(:root|html|body)[^\s>+~,]*:has\(/.test(selector))).toEqual([])
  // Every path below /campaigns belongs to Campaigns in the sidebar.
  world.expectConsole(/404/)
  await page.goto('/campaigns/00000000-0000-4000-8000-000000000000')
  await page.getByText('Campaign not found or access denied').waitFor()
  expect(await current(page)).toEqual(['Campaigns'])
})

it('collapses the sidebar to a rail and remembers it', async () => {
  const page = await world.openPage()
  await (await signUp(world, 'rail@example.com')).enter(page)
  await page.goto('/lists')
  await page.getByRole('button', { name: 'Collapse sidebar' }).press('Enter')
  const width = () => sidebar(page).evaluate((nav) => nav.clientWidth)
  await expect.poll(width).toBeLessThan(60)
  await page.reload()
  await sidebar(page).getByRole('link', { name: 'Lists', exact: true }).waitFor()
  expect(await width()).toBeLessThan(60)
  await expectSoundPage(page)
  await page.getByRole('button', { name: 'Expand sidebar' }).click()
  await expect.poll(width).toBeGreaterThan(150)
  // The help menu shows the version and lists all shortcuts. Closing them returns the focus to its button.
  const help = page.getByRole('button', { name: 'Help', exact: true })
  await help.click()
  await page.getByRole('menu').getByText(`Version ${RELEASE}`, { exact: true }).waitFor()
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => help.evaluate((button) => button === document.activeElement)).toBe(true)
})

it('shows a bottom bar on phones, which covers nothing', async () => {
  const page = await world.openPage()
  await (await signUp(world, 'phone@example.com')).enter(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/lists')
  await tabBar(page).getByRole('link', { name: 'Leads' }).click()
  await page.getByRole('heading', { level: 1, name: 'Twitter Leads' }).waitFor()
  expect(await current(page)).toEqual(['Leads'])
  expect(await sidebar(page).isVisible()).toBe(false)
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  const footer = await page.getByRole('contentinfo').boundingBox()
  const bar = await tabBar(page).boundingBox()
  expect((footer?.y ?? 0) + (footer?.height ?? 0)).toBeLessThanOrEqual((bar?.y ?? 0) + 1)
  await expectSoundBothWays(page)
})

it('leads phones from the menu to what the bar has no room for, and says what is empty', async () => {
  const page = await world.openPage({ width: 390, height: 844 })
  await (await signUp(world, 'menu@example.com')).enter(page)
  await page.goto('/lists')
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Analytics' }).click()
  await page.getByText(/^No analytics data available/).waitFor()
  await page.getByRole('link', { name: 'Connect X', exact: true }).waitFor()
  await tabBar(page).getByRole('link', { name: 'Inbox' }).click()
  await page.getByText('No replies yet').waitFor()
})

it('ends long titles with an ellipsis, after two lines on phones', async () => {
  const page = await world.openPage({ width: 320 })
  await (await signUp(world, 'long@example.com')).enter(page)
  const { id } = await callApi(page, 'POST', '/lists', { name: 'Founders of small software companies '.repeat(5) })
  await page.goto(`/lists/${id}`)
  const title = page.getByRole('heading', { name: 'Founders of small' })
  await title.waitFor()
  const { top, lines } = await title.evaluate((h1) => {
    const text = document.createRange()
    text.selectNodeContents(h1)
    const { height } = h1.getBoundingClientRect()
    return { top: text.getBoundingClientRect().top, lines: height / Number.parseFloat(getComputedStyle(h1).lineHeight) }
  })
  expect(top).toBeGreaterThan(0)
  expect(lines).toBeCloseTo(2)
  await page.setViewportSize({ width: 1280, height: 900 })
  expect(await title.evaluate((h1) => [getComputedStyle(h1).textOverflow, h1.scrollWidth > h1.clientWidth])).toEqual([
    'ellipsis',
    true,
  ])
})

it('prints the page without what is around it', async () => {
  const page = await world.openPage()
  await (await signUp(world, 'paper@example.com')).enter(page)
  await page.goto('/lists')
  await page.getByRole('heading', { name: 'My Lists' }).waitFor()
  await page.getByRole('button', { name: 'Profile menu' }).waitFor()
  const fixed = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('body *')]
        .filter((element) => getComputedStyle(element).position === 'fixed' && element.checkVisibility())
        .map((element) => element.textContent)
        .filter((text) => text !== 'Skip to content'),
    )
  expect(await fixed()).not.toEqual([])
  await page.emulateMedia({ media: 'print' })
  expect(await fixed()).toEqual([])
})

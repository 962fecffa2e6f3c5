import { beforeAll, describe, expect, it } from 'vitest'
import { createRecords, fillPath, LOADING, ofGuests, ofOthers } from '../pages.ts'
import { callApiAs, importLeads, openWorld, PASSWORD, signUp, type World } from '../world.ts'
import type { Tab } from './tab.ts'

const EMAIL = 'elsewhere@example.com'
const PATIENCE = { timeout: 60_000 }

/** Opens every page in this browser, signed out and signed in. */
export function describeEveryPage(name: string, openTab: () => Promise<Tab>): void {
  describe(`every page in ${name}`, () => {
    let world: World
    let tab: Tab
    beforeAll(async () => {
      ;[world, tab] = await Promise.all([openWorld({ OPERATORS: EMAIL }, { pages: false }), openTab()])
    })

    it('reports planted errors and a page that scrolls sideways', async () => {
      await tab.open(`${world.origin}/terms.html`)
      await tab.evaluate(`void console.error('planted message')`)
      await tab.evaluate(`void setTimeout(() => { throw new Error('planted error') })`)
      await tab.evaluate(`void Promise.reject(new Error('planted rejection'))`)
      await tab.evaluate(`void (document.body.appendChild(new Image()).src = 'https://planted.example/picture.png')`)
      const errors: string[] = []
      for (const planted of ['planted message', 'planted error', 'planted rejection', 'planted.example'])
        await expect
          .poll(async () => {
            errors.push(...(await tab.takeErrors()))
            return errors.join('\n')
          }, PATIENCE)
          .toContain(planted)
      expect(await sidewaysAt(tab, 390)).toBe(0)
      await tab.evaluate(`void (document.querySelector('h1').style.width = '3000px')`)
      expect(await sidewaysAt(tab, 390)).toBeGreaterThan(0)
    })

    it('opens every public page without an error', async () => {
      const problems: string[] = []
      for (const path of [...ofGuests, '/nothing-here']) problems.push(...(await problemsAt(tab, world.origin, path)))
      expect(problems).toEqual([])
    })

    it('logs in, searches by key, and opens every other page without an error', async () => {
      const { token } = await signUp(world, EMAIL)
      await callApiAs(world.origin, token, 'POST', '/session/connect', { username: 'elsewhere', password: PASSWORD })
      await importLeads(world, token, ['twitter_handle,name', 'somebody,Some Body'])
      const records = await createRecords(world, token, 'elsewhere')

      await tab.resize(1280, 900)
      await tab.open(`${world.origin}/login`)
      await waitFor(tab, `document.querySelector('button[type=submit]')?.disabled === false`)
      await tab.click('input[autocomplete=username]')
      await tab.type(EMAIL)
      await tab.click('input[autocomplete=current-password]')
      await tab.type(PASSWORD)
      await tab.press('Enter')
      await waitFor(tab, `location.pathname === '/dashboard'`)
      await waitFor(tab, IS_LOADED)

      const isSearching = `document.activeElement.matches('[role=dialog] input')`
      await tab.press('k', true)
      await waitFor(tab, isSearching)
      await tab.type('everybody')
      await waitFor(tab, `document.querySelector('[role=option]')?.textContent.includes('Everybody')`)
      await tab.press('Enter')
      await waitFor(tab, `location.pathname === '/lists/${records.listId}' && ${IS_LOADED}`)
      await tab.press('k', true)
      await waitFor(tab, isSearching)
      await tab.press('Escape')
      await waitFor(tab, `!document.querySelector('[role=dialog]')`)

      const problems = await errorsOf(tab, world.origin)
      for (const path of ofOthers) problems.push(...(await problemsAt(tab, world.origin, fillPath(path, records))))
      expect(problems).toEqual([])
    })
  })
}

/** JavaScript: whether the page shows a main heading and no skeleton. */
const IS_LOADED = `([...document.querySelectorAll('h1')].some((heading) => heading.checkVisibility()) &&
  !document.querySelector(${JSON.stringify(LOADING)}))`

async function waitFor(tab: Tab, expression: string): Promise<void> {
  await expect.poll(() => tab.evaluate(`Boolean(${expression})`), { ...PATIENCE, message: expression }).toBe(true)
}

/** Returns the console's errors, except WebKit's errors for requests that were canceled by leaving the page. */
async function errorsOf(tab: Tab, origin: string): Promise<string[]> {
  const left = `Fetch API cannot load ${origin}/`
  return (await tab.takeErrors()).filter((error) => !error.includes(left) || !error.endsWith('access control checks.'))
}

/** Opens a page and each of its tabs. @returns what is wrong with them */
async function problemsAt(tab: Tab, origin: string, path: string): Promise<string[]> {
  const problems: string[] = []
  await tab.resize(1280, 900)
  await tab.open(`${origin}${path}`)
  const tabCount = `document.querySelector('main [role=tablist]')?.querySelectorAll('[role=tab]').length ?? 0`
  for (let index = 0; index === 0 || index < (await tab.evaluate<number>(tabCount)); index += 1) {
    if (index > 0)
      await tab.evaluate(`void document.querySelectorAll('main [role=tablist] [role=tab]')[${index}].click()`)
    // A late response may bring a new skeleton.
    for (let looks = 0; looks < 3; looks += 1) await waitFor(tab, IS_LOADED)
    for (const width of [1280, 390]) {
      const sideways = await sidewaysAt(tab, width)
      if (sideways > 0) problems.push(`scrolls sideways by ${sideways} px at ${width} px`)
    }
    if (!(await tab.evaluate<string>('document.title'))) problems.push('has no title')
    problems.push(...(await errorsOf(tab, origin)))
  }
  return problems.map((problem) => `${path}: ${problem}`)
}

/** Returns how many pixels the page scrolls sideways at this width, once its layout has settled. */
async function sidewaysAt(tab: Tab, width: number): Promise<number> {
  await tab.resize(width, 844)
  await waitFor(tab, `innerWidth === ${width}`)
  const sideways = `document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth`
  for (let looks = 0; looks < 20 && (await tab.evaluate<number>(sideways)) > 0; looks += 1)
    await new Promise((resolve) => setTimeout(resolve, 100))
  return tab.evaluate<number>(sideways)
}

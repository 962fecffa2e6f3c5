import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './root.ts'
import { SCREENS } from './screens.ts'

const screens = Object.values(SCREENS).flatMap((area) => Object.values(area))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The pages in web/app/paths.ts. /auth/callback only redirects. */
const pages = [...read('web/app/paths.ts').matchAll(/\{ path: '([^']+)', access:/g)]
  .map(([, path]) => path)
  .filter((path) => path !== '/auth/callback')

it('finds the pages', () => expect(pages.length).toBeGreaterThan(15))

it.each(pages)('takes a picture of %s', (path) => {
  expect(screens.map((screen) => screen.path.split(/[?#]/)[0])).toContain(path)
})

it.each([
  ['/operator', 'web/app/pages/overview/operator.tsx'],
  ['/settings', 'web/app/features/overview/settings/settings-tabs.tsx'],
  ['/twitter', 'web/app/pages/platform/twitter.tsx'],
])('takes a picture of every tab of %s', (path, file) => {
  const [, ...tabs] = [...read(file).matchAll(/value: '([\w-]+)',\s*label/g)].map(([, tab]) => tab)
  expect(tabs.length).toBeGreaterThan(2)
  for (const tab of tabs) expect(screens.map((screen) => screen.path)).toContain(`${path}?tab=${tab}`)
})

it('shows exactly one sheet of every area in each look', () => {
  const listed = [...read('docs/screens.md').matchAll(/\(pictures\/([\w-]+\.webp)\)/g)].map(([, file]) => file)
  const wanted = Object.keys(SCREENS).flatMap((area) =>
    ['wide', 'dark', 'narrow'].map((look) => `${area}-${look}.webp`),
  )
  expect(listed.toSorted()).toEqual(wanted.toSorted())
  for (const file of wanted) expect(existsSync(join(root, 'docs/pictures', file)), file).toBe(true)
})

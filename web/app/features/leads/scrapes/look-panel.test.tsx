import { QueryClientProvider } from '@tanstack/react-query'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createQueryClient } from '../../../query-client'
import { LookPanel } from './look-panel'

const person = (twitterHandle: string, followerCount: number) => ({
  twitterHandle,
  name: twitterHandle,
  bio: 'Founder',
  followerCount,
  pictureUrl: null,
})
const source = { type: 'followers', twitterHandle: 'ada' } as const
const filter = { minFollowers: 100, maxFollowers: 900, keywords: ['founder'] }

function render(people: ReturnType<typeof person>[]): string {
  return renderToString(
    <QueryClientProvider client={createQueryClient()}>
      <LookPanel
        look={{ source, people, costCents: 26, looksLeft: 3 }}
        filter={filter}
        action={<button type="button">Save up to 200 leads</button>}
        onClose={() => {}}
      />
    </QueryClientProvider>,
  ).replace(/<!-- -->/g, '')
}

test('says who matches the filters, what X bills, and that nobody is saved', () => {
  const html = render([person('few', 99), person('some', 100), person('more', 901)])
  expect(html).toContain('The first 3 profiles. 1 of them matches your filters. Nobody is saved yet.')
  expect(html.match(/outside your filters/g)).toHaveLength(2)
  expect(html).toContain('$0.26')
  expect(html).toContain('Save up to 200 leads')
})

test('offers nothing to save if nobody follows the handle', () => {
  const html = render([])
  expect(html).toContain('@ada has no followers yet. Try another handle.')
  expect(html).not.toContain('Save up to')
})

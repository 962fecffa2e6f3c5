import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import { Tabs } from './tabs'

it('names the panel of the open tab, and the tab of the panel, before hydration', () => {
  const tabs = ['alltime', 'week'].map((value) => ({ value, label: value, content: value }))
  const html = renderToString(<Tabs label="Period" tabs={tabs} value="alltime" onChange={() => {}} />)
  const attribute = (element: string, name: string) => new RegExp(` ${name}="([^"]+)"`).exec(element)?.[1]
  const [open = '', closed = ''] = html.match(/<button[^>]* role="tab"[^>]*>/g) ?? []
  const [panel = ''] = html.match(/<div[^>]* role="tabpanel"[^>]*>/g) ?? []
  expect(attribute(open, 'aria-controls')).toBe(attribute(panel, 'id'))
  expect(attribute(panel, 'aria-labelledby')).toBe(attribute(open, 'id'))
  expect(attribute(panel, 'id')).toBeTruthy()
  expect(attribute(closed, 'aria-controls')).toBeUndefined()
})

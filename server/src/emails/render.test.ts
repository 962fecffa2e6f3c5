import { expect, it } from 'vitest'
import { renderEmail } from './render.ts'

it('escapes every text and link in the HTML', () => {
  const hostile = `<b>&"'`
  const { subject, text, html } = renderEmail({
    to: 'ann@example.com',
    subject: hostile,
    lines: [hostile, hostile],
    action: { label: hostile, link: hostile },
    closing: hostile,
    unsubscribeLink: hostile,
  })
  expect(html).not.toContain('<b>')
  // The title, the heading, two lines, the link and label of the button, the closing, and the link below it.
  expect(html.split('&lt;b&gt;&amp;&quot;&#39;')).toHaveLength(9)
  expect([subject, text]).toEqual([expect.stringContaining(hostile), expect.stringContaining(hostile)])
})

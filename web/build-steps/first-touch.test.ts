import { expect, it } from 'vitest'
import { type DeferredOptions, deferredHtml } from './first-touch'

const preload = '<link rel="modulepreload" href="/assets/a.js"/><link rel="modulepreload" href="/assets/b.js"/>'
const start = '<script type="module" async="">import "/assets/a.js";\nimport("/assets/b.js");</script>'
const sheet = '<link rel="stylesheet" href="/assets/all.css"/>'
const font = '<link rel="preload" href="/assets/inter.woff2" as="font" type="font/woff2" crossorigin="anonymous"/>'
const page = `<head>${font}${preload}<script>wake()</script>${sheet}</head><body><p>words</p><script>window.context = 1</script>${start}</body>`
const how: DeferredOptions = {
  trigger: 'touched',
  script: 'rest("$&")',
  style: null,
  scripts: ['/assets/a.js', '/assets/b.js'],
}
const early = /<script>window\.early=.*?<\/script>(?=<link rel="stylesheet"|<style)/
const held = 'data-scripts="/assets/a.js /assets/b.js">import "/assets/a.js";\nimport("/assets/b.js");</script>'

it('keeps content and inline scripts, and makes the app inert', () => {
  expect(deferredHtml(page, how)).toMatch(early)
  expect(deferredHtml(page, how).replace(early, '')).toBe(
    `<head>${font}<script>wake()</script>${sheet}<script type="module">rest("$&")</script></head>` +
      `<body><p>words</p><script>window.context = 1</script><script type="text/plain" data-app="touched" ${held}</body>`,
  )
})

it('inlines the CSS and defers the font', () => {
  const local = '@font-face{font-family:B;src:local("C")}'
  const face = '@font-face{font-family:A;src:url(/a.woff2)}'
  expect(deferredHtml(page, { ...how, style: `${face}${local}p{margin:$&0}` }).replace(early, '')).toBe(
    `<head><script>wake()</script><style>${local}p{margin:$&0}</style><style media="(scripting: none)">${face}</style>` +
      '<script type="module">rest("$&")</script></head>' +
      '<body><p>words</p><script>window.context = 1</script>' +
      `<script type="text/plain" data-app="touched" data-style="/assets/all.css" ${held}</body>`,
  )
})

it.each([
  [page, { ...how, scripts: [] }],
  [page.replace(start, ''), how],
  [page.replace(start, start + start), how],
  [page.replace(sheet, ''), how],
  [page.replace(sheet, sheet + sheet), how],
])('rejects unexpected HTML: %s', (html, options) => {
  expect(() => deferredHtml(html, options)).toThrow('cannot defer hydration')
})

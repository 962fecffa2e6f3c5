import { expect, it } from 'vitest'
import { resting } from './first-touch'

const preload = '<link rel="modulepreload" href="/assets/a.js"/><link rel="modulepreload" href="/assets/b.js"/>'
const start = '<script type="module" async="">import "/assets/a.js";\nimport("/assets/b.js");</script>'
const sheet = '<link rel="stylesheet" href="/assets/all.css"/>'
const font = '<link rel="preload" href="/assets/inter.woff2" as="font" type="font/woff2" crossorigin="anonymous"/>'
const page = `<head>${font}${preload}<script>wake()</script>${sheet}</head><body><p>words</p><script>window.context = 1</script>${start}</body>`

it('keeps the words and the small scripts of a page, writes its style into it, and holds the app back', () => {
  expect(resting(page, 'assets/first-touch-1.js', 'p{margin:$&0}')).toBe(
    '<head><script>wake()</script><style>p{margin:$&0}</style>' +
      '<script type="module" async fetchpriority="low" src="/assets/first-touch-1.js"></script></head>' +
      '<body><p>words</p><script>window.context = 1</script>' +
      '<script type="text/plain" data-app data-style="/assets/all.css" data-preload="/assets/a.js /assets/b.js">import "/assets/a.js";\nimport("/assets/b.js");</script></body>',
  )
})

it.each([
  page.replace(preload, ''),
  page.replace(start, ''),
  page.replace(start, start + start),
  page.replace(sheet, ''),
  page.replace(sheet, sheet + sheet),
])('refuses a page that it does not understand: %s', (html) => {
  expect(() => resting(html, 'x.js', '')).toThrow('that is to rest')
})

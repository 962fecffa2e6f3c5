import { expect, it } from 'vitest'
import { withLateApp, withoutApp } from './prerendered'

const preloads = '<link rel="modulepreload" href="/assets/a.js"/><link rel="modulepreload" href="/assets/b.js"/>'
const start = '<script type="module" async="">import "/assets/a.js";\nimport("/assets/b.js");</script>'
const font = '<link rel="preload" href="/a.woff2" as="font" type="font/woff2" crossorigin="anonymous"/>'
const page = `<head>${font}${preloads}<script>go()</script></head><body><p>words</p><script>window.context = 1</script>${start}</body>`

it('keeps content and inline scripts, and makes the app inert', () => {
  expect(withoutApp(page)).toBe(
    '<head><script>go()</script></head><body><p>words</p><script>window.context = 1</script>' +
      '<script type="text/plain" data-preload="/assets/a.js /assets/b.js">' +
      'import "/assets/a.js";\nimport("/assets/b.js");</script></body>',
  )
})

it.each([page.replace(preloads, ''), page.replace(start, ''), page.replace(start, start + start)])(
  'rejects unexpected HTML: %s',
  (html) => {
    expect(() => withoutApp(html)).toThrow('Expected scripts to preload and one entry script')
  },
)

it('loads the app with low priority', () => {
  expect(withLateApp(page)).toBe(page.replaceAll('rel="modulepreload"', 'rel="modulepreload" fetchpriority="low"'))
})

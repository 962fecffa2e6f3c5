import { expect, it } from 'vitest'
import { resting } from './first-touch'

const preload = '<link rel="modulepreload" href="/assets/a.js"/><link rel="modulepreload" href="/assets/b.js"/>'
const start = '<script type="module" async="">import "/assets/a.js";\nimport("/assets/b.js");</script>'
const page = `<head>${preload}<script>wake()</script></head><body><p>words</p><script>window.context = 1</script>${start}</body>`

it('keeps the words and the small scripts of a page, and holds the app back', () => {
  expect(resting(page, 'assets/first-touch-1.js')).toBe(
    '<head><script>wake()</script><script type="module" async src="/assets/first-touch-1.js"></script></head>' +
      '<body><p>words</p><script>window.context = 1</script>' +
      '<script type="text/plain" data-app data-preload="/assets/a.js /assets/b.js">import "/assets/a.js";\nimport("/assets/b.js");</script></body>',
  )
})

it.each([page.replace(preload, ''), page.replace(start, ''), page.replace(start, start + start)])(
  'refuses a page that it does not understand: %s',
  (html) => {
    expect(() => resting(html, 'x.js')).toThrow('that is to rest')
  },
)

import { expect, it } from 'vitest'
import { holdApp, inlineStyles } from './prerendered'

const preloads = '<link rel="modulepreload" href="/assets/a.js"/><link rel="modulepreload" href="/assets/b.js"/>'
const start = '<script type="module" async="">import "/assets/a.js";\nimport("/assets/b.js");</script>'
const page = `<head>${preloads}<script>go()</script></head><body><p>words</p><script>window.context = 1</script>${start}</body>`

it('keeps content and inline scripts, and makes the app inert', () => {
  expect(holdApp(page, 'session')).toBe(
    '<head><script>go()</script></head><body><p>words</p><script>window.context = 1</script>' +
      '<script type="text/plain" data-until="session" data-preload="/assets/a.js /assets/b.js">' +
      'import "/assets/a.js";\nimport("/assets/b.js");</script></body>',
  )
})

it.each([page.replace(preloads, ''), page.replace(start, ''), page.replace(start, start + start)])(
  'rejects unexpected HTML: %s',
  (html) => {
    expect(() => holdApp(html, 'paint')).toThrow('Expected scripts to preload and one entry script')
  },
)

it("puts a page's styles where their link is, which stays disabled", async () => {
  const used = 'p{color:$1} [open] .\\[\\&_a\\>b\\]\\:c{d:e} .aria-\\[f\\=g\\]\\:h{i:j} .added{k:l}'
  const read = async (href: string) => `/* ${href} */ ${used} .unused{m:n}`
  const link = '<link rel="stylesheet" href="/assets/a.css"/>'
  const body = '<p class="[&amp;_a&gt;b]:c aria-[f=g]:h" open=""></p>'
  expect(await inlineStyles(link + body, read, ['element.className = "added"'])).toBe(
    `<style>/* /assets/a.css */ ${used}</style>${link.replace('/>', ' disabled/>')}${body}`,
  )
})

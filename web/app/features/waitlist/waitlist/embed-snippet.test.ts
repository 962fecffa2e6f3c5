import { expect, it } from 'vitest'
import { embedSnippet } from './embed-dialog'

it('returns a script tag with the code and the chosen color scheme', () => {
  expect(embedSnippet('https://x.example', 'Ab3dE9xy', 'auto')).toBe(
    '<script src="https://x.example/embed.js" async data-ref="Ab3dE9xy"></script>',
  )
  expect(embedSnippet('https://x.example', 'Ab3dE9xy', 'dark')).toContain(' data-theme="dark">')
})

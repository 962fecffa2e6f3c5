import { expect, it } from 'vitest'
import { typedHandles } from './typed-handles'

it.each([
  ['', { problem: 'Enter at least one handle.' }],
  ['@ada', { handles: ['ada'] }],
  ['ada, @grace\nhttps://x.com/linus/status/1  ADA', { handles: ['ADA', 'grace', 'linus'] }],
  ['x.com/home', { problem: "“x.com/home” isn't a valid X handle: use 1 to 15 letters, digits or underscores." }],
  ['ada, @Home', { problem: '“@Home” is a page on X, not a handle.' }],
  ['ada no!', { problem: "“no!” isn't a valid X handle: use 1 to 15 letters, digits or underscores." }],
  [
    Array.from({ length: 1001 }, (_, i) => `h${i}`).join('\n'),
    { problem: 'To add more than 1,000 people, import a file.' },
  ],
])('parses %j', (text, read) => expect(typedHandles(text)).toEqual(read))

/** A file to import: a head, a part repeated until the file is large enough, and a tail. */
interface Shape {
  head?: string | Buffer
  /** @param n index of the part, from 0 */
  part: (n: number) => string | Buffer
  tail?: string | Buffer
  /** Imported a second time, so every lead already exists. */
  isRepeated?: boolean
  to?: '/suppressions/import'
}

const PART_BYTES = 64 * 1024
const HEAD = 'twitter_handle\n'

const same = (text: string) => {
  const part = Buffer.from(text.repeat(Math.max(1, Math.floor(PART_BYTES / text.length))))
  return () => part
}

/** @param makeLine gets the line's index within the file */
const lines = (perPart: number, makeLine: (line: number) => string) => (n: number) =>
  Array.from({ length: perPart }, (_, at) => makeLine(n * perPart + at)).join('')

const handle = (n: number) => `p_${n.toString(36)}`
const person = (n: number) => `${handle(n)},Person ${n},"Founder, writes about design number ${n}",${n % 90_000}\n`
const PEOPLE = 'twitter_handle,name,bio,follower_count\n'

export const SHAPES: Record<string, Shape> = {
  'people, all new': { head: PEOPLE, part: lines(1_000, person) },
  'people, all known': { head: PEOPLE, part: lines(1_000, person), isRepeated: true },
  'bare handles, all new': { head: HEAD, part: lines(5_000, (n) => `b${handle(n)}\n`) },
  'one person repeated': { head: HEAD, part: same('ana\n') },
  '190 custom columns': {
    head: `twitter_handle,${Array.from({ length: 190 }, (_, n) => `own ${n}`).join(',')}\n`,
    part: lines(3, (n) => `w${handle(n)}${`,${'v'.repeat(80)}`.repeat(190)}\n`),
  },
  'custom columns that are too long': {
    head: `twitter_handle,${Array.from({ length: 190 }, (_, n) => `own ${n}`).join(',')}\n`,
    part: lines(1, (n) => `w${handle(n)}${`,${'v'.repeat(300)}`.repeat(190)}\n`),
  },
  'metadata of 20,000 characters': {
    head: 'twitter_handle,metadata\n',
    part: lines(3, (n) => `m${handle(n)},"{""a"":""${'é'.repeat(19_900)}""}"\n`),
  },
  'metadata nested 20 deep': {
    head: 'twitter_handle,metadata\n',
    part: lines(10, (n) => {
      const nested = `${'{""a"":'.repeat(19)}[${'0,'.repeat(2_000)}0]${'}'.repeat(19)}`
      return `d${handle(n)},"${nested}"\n`
    }),
  },
  '20 tags a line': {
    head: 'twitter_handle,tags\n',
    part: lines(500, (n) => `t${handle(n)},${Array.from({ length: 20 }, (_, t) => `tag ${t}`).join(';')}\n`),
  },
  'blank lines': { head: HEAD, part: same('\n') },
  'blank lines between people': { head: HEAD, part: lines(1_000, (n) => `l${handle(n)}\n${n < 90_000 ? '\n' : ''}`) },
  'wrong handles': { head: HEAD, part: same('!!\n') },
  'short lines inside quotes': { head: `${HEAD}"`, part: same('x\n') },
  'a quote opens each line': { head: 'twitter_handle,name\n', part: same('"x,y\n') },
  'stray quotes': { head: 'twitter_handle,name\n', part: lines(1_000, (n) => `q${handle(n)},"a" b "c"\n`) },
  'one line': { head: HEAD, part: same('y') },
  'one quoted field': { head: `${HEAD}"`, part: same('y'), tail: '"\n' },
  'only delimiters': { part: same(',') },
  'lines of 100,000 delimiters': { head: 'twitter_handle,name\n', part: () => `${','.repeat(100_000)}\n` },
  'only quotes': { head: HEAD, part: same('"') },
  'a header of millions of columns': { head: 'twitter_handle', part: same(',c') },
  'carriage returns': { head: HEAD, part: same('\r') },
  'NUL characters': { head: HEAD, part: same('\0\n') },
  'UTF-16': {
    head: Buffer.from(`\ufeff${HEAD}`, 'utf16le'),
    part: () => Buffer.from('ana\n'.repeat(8_000), 'utf16le'),
  },
  'UTF-8, except the last byte': { head: `\ufeff${PEOPLE}`, part: lines(1_000, person), tail: Buffer.from([0xff]) },
  'people to suppress': {
    to: '/suppressions/import',
    head: 'twitter_handle,note\n',
    part: lines(150, (n) => `s${handle(n)},${'n'.repeat(400)}\n`),
  },
  'wrong handles to suppress': { to: '/suppressions/import', head: HEAD, part: same('!!\n') },
}

/** Generates the bytes of a file of this shape. */
export function* bytesOf({ head = '', part, tail = '' }: Shape, size: number): Generator<Buffer> {
  let left = size - Buffer.byteLength(tail)
  const first = Buffer.from(head as string)
  yield first
  left -= first.length
  for (let n = 0; left > 0; n += 1) {
    const next = Buffer.from(part(n) as string)
    yield next.length <= left ? next : next.subarray(0, left)
    left -= next.length
  }
  yield Buffer.from(tail as string)
}

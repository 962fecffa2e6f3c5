// The landing page's finder, on sample data. Built separately as /finder-demo.js, without React.
import { shapesOf } from './faces'
import { HANDLES, highestCount, type Look, type Person, peopleOf, SCALE, WORDS } from './finder-demo-people'

/** Maximum number of faces. Other people are only counted. */
const FACES = 60
const BARS = 40
const BAR_HEIGHT = 80
const START = { least: 3, most: 4.4 }
const numbers = new Intl.NumberFormat('en-US')
const compact = new Intl.NumberFormat('en-US', { notation: 'compact' })
const followersAt = (position: number) => Number((10 ** position).toPrecision(2))

function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  element.className = className
  element.append(...children)
  return element
}

/** Styles for the demo only, so that the page can load without them. */
const THUMB =
  'appearance: none; pointer-events: auto; cursor: ew-resize; width: 1rem; height: 2.25rem; background: var(--color-raised); border: 1px solid var(--color-line-strong); border-radius: var(--radius-md); box-shadow: var(--shadow-sm)'
const FOCUS = 'outline: 2px solid var(--color-accent-line); outline-offset: 2px'
const styles = new CSSStyleSheet()
styles.replaceSync(`
  .demo-range { position: absolute; inset: 0 -0.5rem; width: calc(100% + 1rem); height: 100%; margin: 0;
    appearance: none; background: none; outline: none; pointer-events: none }
  .demo-range::-webkit-slider-thumb { ${THUMB} }
  .demo-range::-moz-range-thumb { ${THUMB}; box-sizing: border-box }
  .demo-range:focus-visible::-webkit-slider-thumb { ${FOCUS} }
  .demo-range:focus-visible::-moz-range-thumb { ${FOCUS} }
  .demo-face { width: 2.25rem; height: 2.25rem; transition: opacity var(--duration-slow) }
  .demo-face[data-faded] { opacity: 0.2; filter: grayscale(1) }
  @media (width < 40rem) { .demo-face:nth-child(n + 36) { display: none } }
  .demo-chip { display: flex; align-items: center; gap: 0.375rem; min-height: 2rem; padding-inline: 0.75rem;
    border-radius: var(--radius-full); background: var(--color-pressed); font-size: var(--text-ui); cursor: pointer }
  .demo-chip:has(:checked) { background: var(--color-ink); color: var(--color-inverse) }
  .demo-chip[data-state=excluded] { background: var(--color-pressed); color: var(--color-muted); text-decoration: line-through }
  .demo-chip:has(:focus-visible) { ${FOCUS} }
  @media (pointer: coarse) { .demo-chip { min-height: 2.75rem } }
  .demo-faces { display: grid; grid-template-columns: repeat(auto-fill, minmax(2.25rem, 1fr)); gap: 0.375rem }`)

/** One of the histogram's two thumbs. Its track ignores the pointer, so that the other thumb can be reached. */
function makeThumb(label: string, value: number): HTMLInputElement {
  const input = make('input', 'demo-range')
  Object.assign(input, { type: 'range', min: SCALE.from, max: SCALE.to, step: 0.05, value, ariaLabel: label })
  return input
}

const SVG = 'http://www.w3.org/2000/svg'

function drawFace(look: Look): SVGElement {
  const face = document.createElementNS(SVG, 'svg')
  face.setAttribute('viewBox', '0 0 36 36')
  face.setAttribute('class', 'size-full rounded-full')
  for (const { d, fill, fillOpacity } of shapesOf(look)) {
    const drawn = document.createElementNS(SVG, 'path')
    drawn.setAttribute('d', d)
    drawn.setAttribute('fill', fill)
    drawn.setAttribute('fill-opacity', String(fillOpacity))
    face.append(drawn)
  }
  return face
}

function makeHistogram() {
  const chart = document.createElementNS(SVG, 'svg')
  chart.setAttribute('viewBox', `0 0 ${BARS} ${BAR_HEIGHT}`)
  chart.setAttribute('preserveAspectRatio', 'none')
  chart.setAttribute('class', 'block h-24 w-full border-b border-line')
  chart.setAttribute('role', 'img')
  chart.setAttribute('aria-label', 'Follower counts of the sample people. Most have between 300 and 10,000.')
  const bars = Array.from({ length: BARS }, (_, bar) => {
    const rect = document.createElementNS(SVG, 'rect')
    rect.setAttribute('x', String(bar + 0.08))
    rect.setAttribute('width', '0.84')
    return rect
  })
  chart.append(...bars)
  return { chart, bars }
}

/** A phone with the first message to a person who matches. */
function makePhone() {
  const name = make('p', 'truncate text-xs font-strong')
  const face = make('span', 'size-7 shrink-0')
  const bubble = make('p', 'rounded-xl rounded-es-sm bg-hover px-3 py-2')
  const bio = make('p', 'rounded-lg bg-sunken px-3 py-2 text-xs text-muted')
  const phone = make(
    'div',
    'mx-auto grid w-full max-w-72 rounded-phone bg-phone p-2 shadow-md',
    make(
      'div',
      'grid grid-rows-[auto_1fr_auto] overflow-clip rounded-screen bg-surface',
      make('div', 'flex min-h-13 items-center gap-3 border-b border-hair px-4 py-3', face, name),
      make('div', 'grid min-h-68 content-end gap-2 p-3', bubble, bio),
      make('p', 'mx-3 mb-3 rounded-full bg-hover px-4 py-2 text-xs text-muted', 'Start a message'),
    ),
  )
  const mark = (text: string) => make('mark', 'rounded-sm bg-accent-mark px-0.5 text-ink', text)
  const show = (person: Person | undefined) => {
    if (!person) {
      name.textContent = 'Nobody'
      face.replaceChildren()
      bubble.textContent = 'Widen the range to see a message.'
      bio.hidden = true
      return
    }
    name.textContent = `As ${person.name} sees it`
    face.replaceChildren(drawFace(person.look))
    bubble.replaceChildren(
      'Hi ',
      mark(person.name.split(' ')[0] ?? ''),
      ', your bio says ',
      mark(`“${person.bio[0]}”`),
      '. We write launch emails for small teams. May I show you one?',
    )
    bio.hidden = false
    bio.textContent = `Their bio: ${person.bio.join(' · ')}`
  }
  return { phone, show }
}

// Checkboxes and radio buttons, because the startup script blocks buttons on pages without the app.

function makeWord(word: string, onPress: () => void) {
  const input = make('input', 'sr-only')
  input.type = 'checkbox'
  const count = make('span', 'text-2xs')
  count.dataset.numeric = ''
  const announcement = make('span', 'sr-only')
  const chip = make('label', 'demo-chip', input, word, count, announcement)
  const state = () => chip.dataset.state ?? ''
  input.addEventListener('change', () => {
    const next = state() === '' ? 'required' : state() === 'required' ? 'excluded' : ''
    chip.dataset.state = next
    input.checked = next !== ''
    announcement.textContent = next && `, ${next}`
    onPress()
  })
  return { word, chip, count, state }
}

function makeHandle(handle: string, index: number, onChoose: (index: number) => void): HTMLElement {
  const input = make('input', 'sr-only')
  Object.assign(input, { type: 'radio', name: 'demo-handle', checked: index === 0 })
  input.addEventListener('change', () => onChoose(index))
  return make('label', 'demo-chip', input, `@${handle}`)
}

function mountFinder(container: HTMLElement): void {
  let people = peopleOf(0)
  const handle = make('p', 'truncate text-xl font-strong sm:text-2xl')
  const handles = HANDLES.map((name, index) => makeHandle(name, index, (chosen) => open(chosen)))
  const count = make('output', 'font-strong')
  count.dataset.numeric = ''
  const mosaic = make('div', 'demo-faces')
  mosaic.ariaHidden = 'true'
  const range = make('span', 'text-muted')
  range.dataset.numeric = ''
  const { chart, bars } = makeHistogram()
  const least = makeThumb('At least', START.least)
  const most = makeThumb('At most', START.most)
  const axis = make('div', 'flex justify-between text-2xs text-muted')
  axis.append(...[1, 2, 3, 4, 5, 6].map((power) => make('span', '', compact.format(10 ** power))))
  axis.ariaHidden = 'true'
  const words = WORDS.map((word) => makeWord(word, () => update()))
  const { phone, show } = makePhone()
  let faces: HTMLElement[] = []

  const update = () => {
    const [from, to] = [Number(least.value), Number(most.value)]
    const isMatch = (person: Person) =>
      person.exponent >= from &&
      person.exponent <= to &&
      words.every(({ word, state }) => state() === '' || person.words.includes(word) === (state() === 'required'))
    const matches = people.filter(isMatch)
    faces.forEach((face, index) => {
      const person = people[index]
      face.toggleAttribute('data-faded', !(person && isMatch(person)))
    })
    bars.forEach((bar, index) => {
      const middle = SCALE.from + ((index + 0.5) / BARS) * (SCALE.to - SCALE.from)
      bar.setAttribute('class', middle >= from && middle <= to ? 'fill-ink' : 'fill-control')
    })
    for (const input of [least, most])
      input.setAttribute('aria-valuetext', `${numbers.format(followersAt(Number(input.value)))} followers`)
    range.textContent = `${numbers.format(followersAt(from))} to ${numbers.format(followersAt(to))}`
    count.textContent = `${matches.length} of ${people.length} sample people match`
    show(matches[0])
  }

  const open = (index: number) => {
    people = peopleOf(index)
    handle.textContent = `@${HANDLES[index]}`
    faces = people.slice(0, FACES).map(({ look }) => {
      const face = make('span', 'demo-face')
      face.append(drawFace(look))
      return face
    })
    mosaic.replaceChildren(...faces)
    const highest = highestCount(people, BARS)
    bars.forEach((bar, barIndex) => {
      const height = (highest.counts[barIndex] ?? 0) * (BAR_HEIGHT / highest.most)
      bar.setAttribute('y', String(BAR_HEIGHT - height))
      bar.setAttribute('height', String(height))
    })
    for (const { word, count: element } of words)
      element.textContent = String(people.filter((person) => person.words.includes(word)).length)
    update()
  }

  // Moving one bound past the other moves both.
  least.addEventListener('input', () => {
    if (Number(most.value) < Number(least.value)) most.value = least.value
    update()
  })
  most.addEventListener('input', () => {
    if (Number(most.value) < Number(least.value)) least.value = most.value
    update()
  })
  open(0)

  const line = (...children: (Node | string)[]) =>
    make('div', 'flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1', ...children)
  const choice = make('div', 'flex flex-wrap gap-1.5', ...handles)
  choice.role = 'radiogroup'
  choice.ariaLabel = 'Handle'
  const chips = make('div', 'flex flex-wrap gap-1.5', ...words.map(({ chip }) => chip))
  chips.role = 'group'
  chips.ariaLabel = 'Bio words'
  container.replaceChildren(
    make(
      'div',
      'grid grid-cols-1 gap-8 lg:grid-cols-[minmax(0,1fr)_18rem]',
      make(
        'div',
        'grid grid-cols-1 content-start gap-6',
        make(
          'div',
          'flex min-h-16 flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-lg border border-control bg-surface px-4 py-2.5 shadow-xs',
          handle,
          choice,
        ),
        make('div', 'grid grid-cols-1 gap-3', line(count, make('span', 'text-xs text-muted', 'Sample data')), mosaic),
        make(
          'div',
          'grid grid-cols-1 gap-2',
          line(make('p', 'font-strong', 'Followers'), range),
          make('div', 'relative', chart, least, most),
          axis,
        ),
        make(
          'div',
          'grid grid-cols-1 gap-3',
          line(
            make('p', 'font-strong', 'Bio words'),
            make('span', 'text-xs text-muted', 'Press once to require, twice to exclude.'),
          ),
          chips,
        ),
      ),
      phone,
    ),
  )
}

document.adoptedStyleSheets.push(styles)
for (const container of document.querySelectorAll<HTMLElement>('[data-finder-demo]:not([data-mounted])')) {
  container.dataset.mounted = ''
  mountFinder(container)
}

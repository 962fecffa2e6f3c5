// The finder of the landing page, on sample data. Built alone as /finder-demo.js, without React.

interface Person {
  name: string
  followers: number
  word: string
}

const NAMES =
  'Maya Jonas Priya Tomás Ines Noah Aiko Lena Omar Sofia Kwame Elif Mateo Hana Luca Zuri Emil Nadia Ravi Chloé'.split(
    ' ',
  )
const LAST = 'Okafor Lindqvist Raman Vidal Moreau Berg Tanaka Hofer Haddad Rossi Mensah Demir Silva Kim'.split(' ')
const WORDS = ['founder', 'designer', 'AI', 'SaaS', 'writer']
const PEOPLE_COUNT = 60
/** Follower counts from 10 to a million; five bars per power of ten. */
const SCALE = { from: 1, to: 6, step: 0.1 }
const BARS = 25
const START = { least: 2.5, most: 4.2 }
const BAR_HEIGHT = 72

/** Always the same people: a bell curve around 1,500 followers. */
const people: Person[] = Array.from({ length: PEOPLE_COUNT }, (_, i) => {
  const bell = [7, 13, 29].reduce((sum, factor) => sum + ((i * factor + 11) % 31) / 31, 0) / 3
  return {
    name: `${NAMES[(i * 7) % NAMES.length]} ${LAST[(i * 5) % LAST.length]}`,
    followers: Math.round(10 ** (1.4 + bell * 3.7)),
    word: WORDS[(i * 3 + Math.floor(i / 5)) % WORDS.length] ?? '',
  }
})

const placeOf = ({ followers }: Person) => Math.log10(followers)
const rounded = (place: number) => Number((10 ** place).toPrecision(2))
const numbers = new Intl.NumberFormat('en-US')

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

function makeRange(label: string, value: number) {
  const input = make('input', 'w-full accent-ink')
  Object.assign(input, { type: 'range', min: SCALE.from, max: SCALE.to, step: SCALE.step, value })
  const shown = make('span', 'font-strong')
  shown.dataset.numeric = ''
  const field = make('label', 'grid flex-1 gap-1', make('span', 'flex justify-between text-muted', label, shown), input)
  return { input, shown, field }
}

function makeWord(word: string) {
  const input = make('input', 'peer sr-only')
  input.type = 'checkbox'
  const text = make(
    'span',
    'flex min-h-9 cursor-pointer items-center rounded-full border border-line bg-surface px-3.5 peer-checked:border-ink peer-checked:bg-ink peer-checked:text-inverse peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-accent-line pointer-coarse:min-h-11',
    word,
  )
  return { word, input, chip: make('label', '', input, text) }
}

function makeBars(): { chart: SVGElement; bars: SVGElement[] } {
  const svg = 'http://www.w3.org/2000/svg'
  const chart = document.createElementNS(svg, 'svg')
  chart.setAttribute('viewBox', `0 0 ${BARS} ${BAR_HEIGHT}`)
  chart.setAttribute('preserveAspectRatio', 'none')
  chart.setAttribute('class', 'block h-18 w-full')
  chart.setAttribute('role', 'img')
  chart.setAttribute('aria-label', 'Most sample people have a few hundred to a few thousand followers.')
  const counts = Array.from({ length: BARS }, () => 0)
  for (const person of people) {
    const bar = Math.min(BARS - 1, Math.floor(((placeOf(person) - SCALE.from) / (SCALE.to - SCALE.from)) * BARS))
    counts[bar] = (counts[bar] ?? 0) + 1
  }
  const highest = Math.max(...counts)
  const bars = counts.map((count, bar) => {
    const rect = document.createElementNS(svg, 'rect')
    const height = count === 0 ? 0 : (count / highest) * BAR_HEIGHT
    for (const [name, value] of Object.entries({ x: bar + 0.08, y: BAR_HEIGHT - height, width: 0.84, height }))
      rect.setAttribute(name, String(value))
    return rect
  })
  chart.append(...bars)
  return { chart, bars }
}

function mountFinder(place: HTMLElement): void {
  const least = makeRange('At least', START.least)
  const most = makeRange('At most', START.most)
  const words = WORDS.map(makeWord)
  const { chart, bars } = makeBars()
  const faces = people.map(({ name }) => {
    const letters = name.split(' ').map((part) => part.charAt(0))
    return make('span', 'grid size-9 place-items-center rounded-full text-xs font-strong', ...letters)
  })
  const mosaic = make('div', 'flex flex-wrap gap-2', ...faces)
  mosaic.ariaHidden = 'true'
  const count = make('output', 'text-2xl font-strong')
  count.dataset.numeric = ''
  const message = make('p', 'max-w-md rounded-xl bg-bubble px-4 py-2.5 text-on-bubble')

  const update = () => {
    const from = Number(least.input.value)
    const to = Number(most.input.value)
    const wanted = words.flatMap(({ word, input }) => (input.checked ? [word] : []))
    const matches = people.map(
      (person) =>
        placeOf(person) >= from && placeOf(person) <= to && (wanted.length === 0 || wanted.includes(person.word)),
    )
    for (const [index, face] of faces.entries()) {
      for (const name of ['bg-ink', 'text-inverse']) face.classList.toggle(name, matches[index])
      // Not faded: the letters stay readable.
      face.classList.toggle('text-faint', !matches[index])
    }
    for (const [index, bar] of bars.entries()) {
      const middle = SCALE.from + ((index + 0.5) / BARS) * (SCALE.to - SCALE.from)
      bar.setAttribute('class', middle >= from && middle <= to ? 'fill-ink' : 'fill-control')
    }
    for (const { input, shown } of [least, most]) {
      shown.textContent = numbers.format(rounded(Number(input.value)))
      input.setAttribute('aria-valuetext', `${shown.textContent} followers`)
    }
    const found = matches.filter(Boolean).length
    const first = people[matches.indexOf(true)]
    count.textContent = `${found} of ${PEOPLE_COUNT} sample people match`
    message.textContent = first
      ? `Hi ${first.name.split(' ')[0]}, your bio says “${first.word}”. May I show you what we built?`
      : 'Widen the range to see a message.'
  }
  // Moving one bound past the other moves both.
  least.input.addEventListener('input', () => {
    if (Number(most.input.value) < Number(least.input.value)) most.input.value = least.input.value
    update()
  })
  most.input.addEventListener('input', () => {
    if (Number(most.input.value) < Number(least.input.value)) least.input.value = most.input.value
    update()
  })
  for (const { input } of words) input.addEventListener('change', update)
  update()

  const chips = make('fieldset', 'flex flex-wrap gap-2', make('legend', 'pb-2 font-strong', 'Bio words'))
  chips.append(...words.map(({ chip }) => chip))
  place.replaceChildren(
    make(
      'div',
      'grid gap-6',
      make(
        'div',
        'flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1',
        make('p', 'text-2xl font-strong', '@indiehackers'),
        make('p', 'text-muted', 'Sample data'),
      ),
      mosaic,
      make(
        'div',
        'grid gap-6 lg:grid-cols-2 lg:gap-10',
        make(
          'div',
          'grid content-start gap-3',
          make('p', 'font-strong', 'Followers'),
          chart,
          make('div', 'flex gap-6', least.field, most.field),
        ),
        make('div', 'grid content-start gap-6', chips, make('div', 'grid justify-items-start gap-3', count, message)),
      ),
    ),
  )
}

for (const place of document.querySelectorAll<HTMLElement>('[data-finder-demo]:not([data-mounted])')) {
  place.dataset.mounted = ''
  mountFinder(place)
}

export {}

// The mailbox page: a live list, and the selected email. The URL contains its id (#id).

const REFRESH_MS = 1500
const SHOWN = 200

const list = document.querySelector('#list')
const count = document.querySelector('#count')
const reader = document.querySelector('#reader')
const search = document.querySelector('#search')

let summaries = []
let version = ''
let shownId

/** Creates an element. Strings become text nodes, never HTML. */
function make(tag, attributes = {}, ...inside) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...inside)
  return element
}

function drawList() {
  const words = search.value.trim().toLowerCase()
  const matches = summaries.filter(({ from, to, subject }) => `${from} ${to} ${subject}`.toLowerCase().includes(words))
  const chosen = location.hash.slice(1)
  const focused = document.activeElement?.getAttribute('href')
  list.replaceChildren(
    ...matches.slice(0, SHOWN).map((mail) => {
      const attributes = { href: `#${mail.id}` }
      if (mail.id === chosen) attributes['aria-current'] = 'true'
      return make(
        'li',
        {},
        make(
          'a',
          attributes,
          make('strong', { dir: 'auto' }, mail.subject || '(no subject)'),
          make('span', {}, `To ${mail.to}`),
          make('time', { datetime: mail.at }, shortTime(mail.at)),
          make('span', { class: 'start', dir: 'auto' }, mail.start),
        ),
      )
    }),
  )
  if (focused) list.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus()
  const hidden = matches.length > SHOWN ? `, showing the newest ${SHOWN}` : ''
  const text = matches.length === 1 ? '1 email' : `${matches.length} emails${hidden}`
  if (count.textContent !== text) count.textContent = text
}

async function drawReader() {
  const id = location.hash.slice(1)
  document.body.classList.toggle('reading', id !== '')
  if (shownId === id) return
  shownId = id
  if (id === '') {
    const text =
      summaries.length === 0
        ? 'No emails yet. They appear here as soon as the product sends them.'
        : 'Select an email to read it.'
    reader.replaceChildren(make('p', { class: 'nothing' }, text))
    return
  }
  const response = await fetch(`/messages/${encodeURIComponent(id)}`)
  if (shownId !== id) return
  if (!response.ok) {
    reader.replaceChildren(make('p', { class: 'nothing' }, 'This email was deleted.'))
    return
  }
  const mail = await response.json()
  const facts = make(
    'dl',
    {},
    ...[
      ['From', mail.from],
      ['To', mail.to],
      ['Received', new Date(mail.at).toLocaleString()],
    ].flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]),
  )
  const back = make('a', { class: 'back', href: '#' }, '← All mail')
  const heading = make('h2', { dir: 'auto' }, mail.subject || '(no subject)')
  const plain = make('pre', { dir: 'auto' }, ...withLinks(mail.text))
  if (mail.html === null) {
    reader.replaceChildren(back, heading, facts, plain)
    return
  }
  const frame = make('iframe', {
    src: `/messages/${encodeURIComponent(id)}/html`,
    sandbox: 'allow-popups allow-popups-to-escape-sandbox',
    title: `Email: ${mail.subject || 'no subject'}`,
  })
  reader.replaceChildren(back, heading, facts, frame, make('details', {}, make('summary', {}, 'Plain text'), plain))
}

/** Turns web addresses into links. @returns texts and elements */
function withLinks(text) {
  return text.split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]])/).map((part, index) => {
    return index % 2 === 0 ? part : make('a', { href: part, target: '_blank', rel: 'noopener noreferrer' }, part)
  })
}

function shortTime(at) {
  const time = new Date(at)
  const today = time.toDateString() === new Date().toDateString()
  return today
    ? time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : time.toLocaleDateString([], { day: 'numeric', month: 'short' })
}

async function refresh() {
  try {
    const response = await fetch('/summaries', {
      headers: version ? { 'if-none-match': version } : {},
      cache: 'no-store',
    })
    if (response.status === 200) {
      version = response.headers.get('etag') ?? ''
      summaries = await response.json()
      if (shownId === '') shownId = undefined
      drawList()
      await drawReader()
    }
  } catch {
    count.textContent = 'Can’t reach the mailbox. Trying again…'
    version = ''
  }
}

async function watch() {
  if (!document.hidden) await refresh()
  setTimeout(watch, REFRESH_MS)
}

addEventListener('hashchange', async () => {
  drawList()
  await drawReader()
  if (location.hash.length > 1) reader.focus()
})
document.addEventListener('visibilitychange', () => !document.hidden && refresh())
search.addEventListener('input', drawList)
document.querySelector('#empty').addEventListener('click', async () => {
  if (summaries.length === 0 || !confirm(`Delete all ${summaries.length} emails?`)) return
  await fetch('/messages', { method: 'DELETE' })
  location.hash = ''
  await refresh()
})

watch()

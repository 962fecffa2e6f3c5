// X's pages: profiles and conversations, in the chosen `markup`. Navigation happens on the client,
// as on X.

import { makeEditor } from './editor.js'

const POLL_MS = 2000
const LONGEST_LINK = 30
const SLOW_MS = 1500

const root = document.querySelector('#react-root')
const { markup, viewer } = await read('/i/api/viewer')
const isChat = markup === 'chat' || markup === 'passcode'

/** Stops the previous page's timers. */
let leave = () => {}

/** X's data-testid of a part; reversed in the `changed` markup. */
const mark = (name) => ({ 'data-testid': markup === 'changed' ? [...name].reverse().join('') : name })

/** Creates an element. Strings become text, never HTML. */
function make(tag, attributes = {}, ...inside) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...inside)
  return element
}

async function read(path, body) {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const answer = await fetch(path, body && post)
  const value = await answer.json().catch(() => ({}))
  if (!answer.ok) throw new Error(value.message ?? value.detail ?? `X answered ${answer.status}`)
  return value
}

function go(path, { replace = false } = {}) {
  history[replace ? 'replaceState' : 'pushState'](null, '', path)
  draw()
}

addEventListener('popstate', draw)
document.addEventListener('click', (event) => {
  const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement)
  const isInternal = link && link.origin === location.origin && !link.pathname.startsWith('/i/flow/')
  if (!isInternal || event.defaultPrevented || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  go(link.pathname + link.search)
})

function navigation() {
  if (!viewer) return make('header', {}, make('a', { 'data-testid': 'loginButton', href: '/i/flow/login' }, 'Log in'))
  const messages = isChat ? '/i/chat' : '/messages'
  return make(
    'header',
    {},
    make('a', { 'data-testid': 'AppTabBar_Home_Link', href: '/home' }, 'Home'),
    make('a', { 'data-testid': 'AppTabBar_DirectMessage_Link', href: messages }, isChat ? 'Chat' : 'Messages'),
    make('a', { 'data-testid': 'AppTabBar_Profile_Link', href: `/${viewer.handle}` }, 'Profile'),
    make(
      'button',
      { 'data-testid': 'SideNav_AccountSwitcher_Button', type: 'button' },
      `${viewer.name} @${viewer.handle}`,
    ),
    make('form', { method: 'post', action: '/logout' }, make('button', { 'data-testid': 'logout' }, 'Log out')),
  )
}

async function draw() {
  leave()
  leave = () => {}
  const column = make('main', { ...mark('primaryColumn') })
  root.replaceChildren(navigation(), column)
  const { pathname, searchParams } = new URL(location.href)
  const conversation = /^\/(?:messages|i\/chat)\/(\d+-\d+)$/.exec(pathname)?.[1]
  try {
    if (pathname === '/messages/compose') {
      const { id } = await read(`/i/api/conversations/with/${searchParams.get('recipient_id')}`)
      return go(conversationPath(id), { replace: true })
    }
    if (conversation) return await drawConversation(column, conversation)
    if (/^\/\w{1,15}$/.test(pathname) && !['/home', '/messages'].includes(pathname))
      return await drawProfile(column, pathname.slice(1))
    column.append(
      make('h1', {}, pathname === '/home' ? 'Home' : 'Messages'),
      make('p', {}, 'Open a profile: x.com/handle.'),
    )
  } catch (error) {
    column.append(make('div', mark('error-detail'), `Something went wrong. Try reloading. ${error.message}`))
  }
}

function conversationPath(id) {
  return `${isChat ? '/i/chat' : '/messages'}/${id}`
}

async function drawProfile(column, handle) {
  const person = await read(`/i/api/profiles/${handle}`)
  if (person.existence !== 'there') {
    const text = person.existence === 'suspended' ? 'Account suspended' : 'This account doesn’t exist'
    return column.append(make('div', mark('emptyState'), make('span', {}, text)))
  }
  const actions = make(
    'div',
    { class: 'actions' },
    make('button', { ...mark('userActions'), type: 'button', 'aria-label': 'More' }, '⋯'),
  )
  if (person.conversationId) {
    const button = make('button', { ...mark('sendDMFromProfile'), type: 'button', 'aria-label': 'Message' }, '✉')
    button.addEventListener('click', () => go(conversationPath(person.conversationId)))
    if (markup === 'slow') setTimeout(() => actions.append(button), SLOW_MS)
    else actions.append(button)
  }
  if (viewer?.id !== person.id) {
    const follow = make('button', { ...mark(`${person.id}-follow`), type: 'button' }, 'Follow')
    actions.append(make('div', mark('placementTracking'), follow))
  }
  column.append(
    actions,
    make(
      'div',
      mark('UserName'),
      make('span', { dir: 'auto' }, person.name),
      ' ',
      make('span', {}, `@${person.handle}`),
    ),
    make('div', { ...mark('UserDescription'), dir: 'auto' }, person.bio),
    make('p', {}, `${person.followingCount} Following · ${person.followerCount} Followers`),
  )
}

async function drawConversation(column, id) {
  if (markup === 'passcode') return column.append(passcode())
  const path = location.pathname
  const { peer, canWrite, messages } = await read(`/i/api/conversations/${id}`)
  if (location.pathname !== path) return
  const view = isChat ? chatView(column, peer) : classicView(column, peer)
  const known = new Set()
  const show = (message) => {
    if (!known.has(message.id)) view.add(message)
    known.add(message.id)
  }
  for (const message of messages) show(message)
  if (canWrite) {
    view.allowWriting(async (text) => {
      const message = { conversation_id: id, text, request_id: crypto.randomUUID() }
      show(await read('/i/api/1.1/dm/new2.json', message))
    })
  }
  const poll = setInterval(async () => {
    if (document.hidden) return
    const news = await read(`/i/api/conversations/${id}`).catch(() => ({ messages: [] }))
    if (location.pathname === path) for (const message of news.messages) show(message)
  }, POLL_MS)
  leave = () => clearInterval(poll)
}

/** The former x.com/messages: a list of `messageEntry` and a custom editor. */
function classicView(column, peer) {
  const list = make('div', mark('DmScrollerContainer'))
  const face = make('div', mark(`UserAvatar-Container-${peer.handle}`))
  const header = make('a', { href: `/${peer.handle}`, role: 'link' }, face, make('h2', { dir: 'auto' }, peer.name))
  const card = make(
    'a',
    { href: `/${peer.handle}`, role: 'link' },
    `@${peer.handle}`,
    make('p', { dir: 'auto' }, peer.bio),
  )
  const panel = make('section', { ...mark('DmActivityViewport'), role: 'region' }, header, card, list)
  column.append(panel)

  return {
    add(message) {
      const text = make('div', { ...mark('tweetText'), dir: 'auto' }, ...formatText(message.text))
      const time = make('time', { datetime: message.at }, new Date(message.at).toLocaleTimeString())
      const entry = make(
        'div',
        { ...mark('messageEntry'), class: message.mine ? 'mine' : 'theirs' },
        text,
        make('div', {}, time),
      )
      list.append(make('div', mark('cellInnerDiv'), entry))
    },
    allowWriting(send) {
      const field = make('div', {
        ...mark('dmComposerTextInput'),
        contenteditable: 'true',
        role: 'textbox',
        'aria-label': 'Start a new message',
        'aria-multiline': 'true',
      })
      const button = make('button', { ...mark('dmComposerSendButton'), type: 'button', 'aria-label': 'Send' }, '➤')
      button.disabled = true
      const submit = async () => {
        if (button.disabled) return
        const text = editor.text().trim()
        editor.clear()
        try {
          await send(text)
        } catch (error) {
          panel.append(make('div', { ...mark('toast'), role: 'alert' }, error.message))
        }
      }
      const editor = makeEditor(field, {
        onChange: (text) => {
          button.disabled = text.trim() === ''
        },
        onEnter: submit,
      })
      button.addEventListener('click', submit)
      panel.append(make('aside', { role: 'complementary' }, field, button))
    },
  }
}

/** The current x.com/i/chat: a shadow tree with rows, their state, and a text area. */
function chatView(column, peer) {
  const host = make('div', mark('xchatEmbedRoute'))
  const shadow = host.attachShadow({ mode: 'open' })
  const list = make('div', mark('dm-message-list'))
  const link = make('a', { href: `${location.origin}/${peer.handle}` }, peer.name)
  const panel = make(
    'section',
    mark('dm-conversation-panel'),
    make('header', mark('dm-conversation-header'), link),
    list,
  )
  const style = make('link', { rel: 'stylesheet', href: '/i/assets/page.css' })
  shadow.append(style, panel)
  column.append(host)

  const addRow = (message, status) => {
    const written = make(
      'span',
      { dir: 'auto', class: 'whitespace-pre-wrap' },
      ...formatText(message.text, { plainEmoji: true }),
    )
    const time = make(
      'span',
      { 'aria-hidden': 'true', class: 'user-select-none' },
      new Date(message.at).toLocaleTimeString(),
    )
    const body = make('div', mark(`message-text-${message.id}`), written, time)
    const row = make('div', {
      ...mark(`message-${message.id}`),
      'data-dm-message-row': message.id,
      'data-send-status': status,
      class: message.mine ? 'mine' : 'theirs',
    })
    row.append(make('div', { 'data-dm-message-focus-target': '' }, body))
    const item = make('div', { 'data-dm-item-key': message.id }, row)
    list.append(item)
    return item
  }

  return {
    add: (message) => void addRow(message, 'sent'),
    allowWriting(send) {
      const field = make('textarea', { ...mark('dm-composer-textarea'), placeholder: 'Message' })
      const controls = make('div')
      const drawControls = () => {
        const name = field.value.trim() === '' ? 'dm-composer-voice-button' : 'dm-composer-send-button'
        if (controls.firstChild?.dataset.testid === mark(name)['data-testid']) return
        const button = make('button', { ...mark(name), type: 'button' }, name.includes('send') ? '➤' : '🎙')
        if (name.includes('send')) button.addEventListener('click', submit)
        controls.replaceChildren(button)
      }
      const submit = async () => {
        const text = field.value.trim()
        field.value = ''
        drawControls()
        // Shows the row as pending until the server responds.
        const pending = addRow({ id: crypto.randomUUID(), mine: true, text, at: new Date().toISOString() }, 'pending')
        try {
          await send(text)
          pending.remove()
        } catch (error) {
          pending.firstChild.dataset.sendStatus = 'failed'
          pending.append(make('p', { role: 'alert' }, error.message))
        }
      }
      field.addEventListener('input', drawControls)
      drawControls()
      panel.append(make('form', mark('dm-composer-form'), field, controls))
    },
  }
}

function passcode() {
  const digits = [1, 2, 3, 4].map((digit) =>
    make('input', {
      type: 'text',
      inputmode: 'numeric',
      maxlength: '1',
      pattern: '[0-9]*',
      'aria-label': `Digit ${digit} of 4`,
    }),
  )
  return make('form', mark('pin-code-input-container'), make('h1', {}, 'Enter Passcode'), ...digits)
}

/** Formats a message like X: shortened links without scheme, emojis as images. */
function formatText(text, { plainEmoji = false } = {}) {
  return text.split(/(https?:\/\/\S+)/).flatMap((part, place) => {
    if (place % 2 === 1) {
      const bare = part.replace(/^https?:\/\/(?:www\.)?/, '')
      const label = bare.length > LONGEST_LINK ? `${bare.slice(0, LONGEST_LINK)}…` : bare
      return [make('a', { href: part, target: '_blank', rel: 'noopener noreferrer' }, label)]
    }
    if (plainEmoji) return [part]
    return part
      .split(/(\p{Extended_Pictographic}\uFE0F?)/u)
      .map((word, odd) => (odd % 2 === 1 ? make('img', { alt: word, src: pictureOf(word) }) : word))
  })
}

function pictureOf(emoji) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><text y="16" font-size="16">${emoji}</text></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

draw()

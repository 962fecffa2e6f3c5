// X's pages: profiles and the chat, in the chosen `markup`. As on X, navigation happens on the
// client.

const POLL_MS = 2000
const LONGEST_LINK = 30
/** Delay in the `slow` markup: of a profile's message button, and of messages after the composer. */
const LATE_MS = 1500
/** How long the chat shows its skeleton. */
const SKELETON_MS = { slow: 3500, passcode: 600, passcode_new: 600 }

const root = document.querySelector('#react-root')
const { markup, typing, viewer } = await read('/i/api/viewer')

/** Stops the previous page's timers. */
let leave = () => {}
/** Message requests that were accepted on this page. */
const accepted = new Set()

/** X's data-testid for a part. Reversed in the `changed` markup. */
const mark = (name) => ({ 'data-testid': markup === 'changed' ? [...name].reverse().join('') : name })

/** Creates an element. Strings become text nodes, never HTML. */
function make(tag, attributes = {}, ...inside) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...inside)
  return element
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function read(path, body) {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(path, body && post)
  const value = await response.json().catch(() => ({}))
  if (!response.ok) throw new Error(value.message ?? value.detail ?? `X answered ${response.status}`)
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
  return make(
    'header',
    {},
    make('a', { 'data-testid': 'AppTabBar_Home_Link', href: '/home' }, 'Home'),
    make('a', { 'data-testid': 'AppTabBar_DirectMessage_Link', href: '/i/chat' }, 'Chat'),
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
  const { pathname } = location
  const conversation = /^\/i\/chat\/(?:requests\/(?:other\/)?)?(\d+-\d+)$/.exec(pathname)?.[1]
  try {
    if (pathname.startsWith('/i/chat/pin/')) return column.append(passcode(pathname.endsWith('/new')))
    if (conversation) return await drawChat(column, conversation)
    if (/^\/\w{1,15}$/.test(pathname) && pathname !== '/home') return await drawProfile(column, pathname.slice(1))
    column.append(
      make('h1', {}, pathname === '/home' ? 'Home' : 'Chat'),
      make('p', {}, 'Open a profile: x.com/handle.'),
    )
  } catch (error) {
    column.append(make('div', mark('error-detail'), `Something went wrong. Try reloading. ${error.message}`))
  }
}

async function drawProfile(column, handle) {
  const person = await read(`/i/api/profiles/${handle}`)
  const name = (text) =>
    make('div', mark('UserName'), make('span', { dir: 'auto' }, text), ' ', make('span', {}, `@${handle}`))
  if (person.existence !== 'there') {
    // It is unknown whether X shows such an account's name, so only suspended accounts show it here.
    const isSuspended = person.existence === 'suspended'
    if (isSuspended) column.append(name(handle))
    const text = isSuspended ? 'Account suspended' : 'This account doesn’t exist'
    return column.append(make('div', mark('emptyState'), make('span', {}, text)))
  }
  const actions = make(
    'div',
    { class: 'actions' },
    make('button', { ...mark('userActions'), type: 'button', 'aria-label': 'More' }, '⋯'),
  )
  if (person.conversationId && !(markup === 'unclear' && !person.inboxOpen)) {
    const button = make('button', { ...mark('sendDMFromProfile'), type: 'button', 'aria-label': 'Message' }, '✉')
    button.addEventListener('click', () => openChat(person.conversationId))
    if (markup === 'slow') setTimeout(() => actions.append(button), LATE_MS)
    else actions.append(button)
  }
  if (viewer?.id !== person.id && markup !== 'no_id') {
    const follow = make('button', { ...mark(`${person.id}-${person.isProtected ? 'cancel' : 'follow'}`) }, 'Follow')
    actions.append(make('div', mark('placementTracking'), follow))
  }
  const suggestion = make(
    'aside',
    { ...mark('sidebarColumn') },
    make('h2', {}, 'You might like'),
    make('div', mark('UserCell'), '@someone_else', make('button', mark('7-follow'), 'Follow')),
  )
  column.append(
    actions,
    name(person.name),
    make('div', { ...mark('UserDescription'), dir: 'auto' }, person.bio),
    make('p', {}, `${person.followingCount} Following · ${person.followerCount} Followers`),
  )
  column.after(suggestion)
  leave = () => {
    suggestion.remove()
    closeDrawer()
  }
}

/** Opens a conversation as the profile's message button does. */
function openChat(id) {
  if (markup === 'drawer') return drawDrawer(id)
  go(`/i/chat/${markup === 'request' && !accepted.has(id) ? 'requests/' : ''}${id}`)
}

let closeDrawer = () => {}

/** The chat in a drawer, on top of any page. */
function drawDrawer(id) {
  closeDrawer()
  const drawer = make('aside', { ...mark('chat-drawer-root'), class: 'drawer' })
  document.body.append(drawer)
  const isOpen = () => drawer.isConnected
  const stop = showConversation(drawer, id, isOpen)
  closeDrawer = () => {
    drawer.remove()
    stop()
  }
}

async function drawChat(column, id) {
  const path = location.pathname
  const skeleton = make('div', { class: 'skeleton', 'aria-hidden': 'true' }, make('div'), make('div'), make('div'))
  column.append(skeleton)
  await sleep(SKELETON_MS[markup] ?? 0)
  if (location.pathname !== path) return
  if (markup === 'passcode_new') return go('/i/chat/pin/new?from=%2Fi%2Fchat', { replace: true })
  if (markup === 'passcode') return go('/i/chat/pin/recovery?from=%2Fi%2Fchat', { replace: true })
  skeleton.remove()
  leave = showConversation(column, id, () => location.pathname === path)
}

/** Draws a conversation into `container`, and adds new messages while it is open. @returns a function that stops it */
function showConversation(container, id, isOpen) {
  let poll
  const showError = (error) =>
    container.append(make('div', mark('error-detail'), `Something went wrong. Try reloading. ${error.message}`))
  const start = async () => {
    const { peer, canWrite, messages } = await read(`/i/api/conversations/${id}`)
    if (!isOpen()) return
    const view = chatView(container, peer, id)
    const shownIds = new Set()
    const show = (message) => {
      if (!shownIds.has(message.id)) view.add(message)
      shownIds.add(message.id)
    }
    const isRequest = markup === 'request' && !accepted.has(id)
    if (isRequest) view.askToAccept()
    else if (canWrite) {
      view.allowWriting(async (text) => {
        const message = { conversation_id: id, text, request_id: crypto.randomUUID() }
        show(await read('/i/api/1.1/dm/new2.json', message))
      })
    } else if (markup !== 'unclear') view.forbidWriting()
    if (markup === 'slow') await sleep(LATE_MS)
    if (!isOpen()) return
    view.begin()
    for (const message of messages) show(message)
    poll = setInterval(async () => {
      if (document.hidden) return
      const news = await read(`/i/api/conversations/${id}`).catch(() => ({ messages: [] }))
      if (isOpen()) for (const message of news.messages) show(message)
    }, POLL_MS)
  }
  start().catch(showError)
  return () => clearInterval(poll)
}

/** x.com/i/chat: a shadow tree with message rows, their state, and a text area. */
function chatView(container, peer, id) {
  const host = make('div', mark('xchatEmbedRoute'))
  const shadow = host.attachShadow({ mode: 'open' })
  const list = make('div', mark('dm-message-list'))
  const link = make(
    'a',
    { href: `${location.origin}/${peer.handle}` },
    make('span', mark('dm-conversation-username'), peer.name),
  )
  const panel = make(
    'section',
    mark('dm-conversation-panel'),
    make('header', mark('dm-conversation-header'), link),
    list,
  )
  const style = make('link', { rel: 'stylesheet', href: '/i/assets/page.css' })
  shadow.append(style, panel)
  container.append(host)

  const addRow = (message, status) => {
    const written = make('span', { dir: 'auto', class: 'whitespace-pre-wrap' }, ...formatText(message.text))
    const time = make(
      'span',
      { 'aria-hidden': 'true', class: 'user-select-none' },
      new Date(message.at).toLocaleTimeString(),
    )
    const body = make('div', mark(`message-text-${message.id}`), written, time)
    const row = make('div', {
      ...mark(`message-${message.id}`),
      'data-dm-message-row': message.id,
      ...(message.mine && { 'data-send-status': status }),
      class: message.mine ? 'mine' : 'theirs',
    })
    row.append(make('div', { 'data-dm-message-focus-target': '' }, body))
    const item = make('div', { 'data-dm-item-key': message.id }, row)
    list.append(item)
    return item
  }

  return {
    /** The first row of a conversation, above its messages. */
    begin: () => list.prepend(make('div', mark('dm-conversation-header-item'), `@${peer.handle}`)),
    add: (message) => void addRow(message, 'sent'),
    forbidWriting: () => panel.append(make('p', mark('dm-read-only-notice'), 'You can’t message this account.')),
    askToAccept() {
      const accept = make('button', { ...mark('dm-message-request-accept-button'), type: 'button' }, 'Accept')
      accept.addEventListener('click', () => {
        accepted.add(id)
        go(`/i/chat/${id}`)
      })
      panel.append(make('div', mark('dm-message-request-prompt'), `${peer.name} wants to message you.`, accept))
    },
    allowWriting(send) {
      const field = make('textarea', { ...mark('dm-composer-textarea'), placeholder: 'Message' })
      const model = controlled(field, drawControls)
      const controls = make('div')
      function drawControls() {
        const name = model.text().trim() === '' ? 'dm-composer-voice-button' : 'dm-composer-send-button'
        if (controls.firstChild?.dataset.testid === mark(name)['data-testid']) return
        const button = make('button', { ...mark(name), type: 'button' }, name.includes('send') ? '➤' : '🎙')
        if (name.includes('send')) button.addEventListener('click', submit)
        controls.replaceChildren(button)
      }
      const submit = async () => {
        const text = model.text().trim()
        model.set('')
        // Shows the row before the server has responded.
        const row = { id: crypto.randomUUID(), mine: true, text, at: new Date().toISOString() }
        const sending = addRow(row, 'pending')
        try {
          sending.firstChild.dataset.sendStatus = 'sending'
          await send(text)
          sending.remove()
        } catch (error) {
          sending.firstChild.dataset.sendStatus = 'failed'
          sending.append(make('p', { role: 'alert' }, error.message))
        }
      }
      drawControls()
      panel.append(make('form', mark('dm-composer-form'), field, controls))
    },
  }
}

/**
 * A text area controlled by a model, as in React. It accepts only the changes that `typing` names:
 * editing `command`s (also keys), `paste`, the value's `setter`, or `any`. It reverts others.
 */
function controlled(field, onChange) {
  let text = ''
  const set = (next) => {
    text = next
    if (field.value !== text) field.value = text
    onChange()
  }
  const accepts = (way) => typing === 'any' || typing === way
  field.addEventListener('paste', (event) => {
    event.preventDefault()
    if (accepts('paste')) set(text + event.clipboardData.getData('text/plain').replaceAll('\r\n', '\n'))
  })
  field.addEventListener('input', ({ isTrusted, inputType }) => {
    // Deleting is always accepted, so that a draft can be removed.
    const isAccepted = isTrusted ? accepts('command') || inputType.startsWith('delete') : accepts('setter')
    set(isAccepted ? field.value : text)
  })
  return { text: () => text, set }
}

function passcode(isNew) {
  if (isNew)
    return make(
      'section',
      {},
      make('h1', mark('pin-onboarding-title'), 'Welcome to Chat'),
      make('button', { ...mark('pin-onboarding-setup-now'), type: 'button' }, 'Create Passcode'),
    )
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

/** Formats a message like X, which shows shortened links without the scheme. */
function formatText(text) {
  return text.split(/(https?:\/\/\S+)/).map((part, index) => {
    if (index % 2 === 0) return part
    const bare = part.replace(/^https?:\/\/(?:www\.)?/, '')
    const label = bare.length > LONGEST_LINK ? `${bare.slice(0, LONGEST_LINK)}…` : bare
    return make('a', { href: part, target: '_blank', rel: 'noopener noreferrer' }, label)
  })
}

draw()

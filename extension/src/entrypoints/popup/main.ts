import { setLocale } from '@x-automated/contract/format'
import type { ExtensionStatusReply } from '@x-automated/contract/outreach/extension'
import { browser } from 'wxt/browser'
import { productOrigin } from '../../origin.ts'
import { resultText, stateText, usageText } from '../../popup-text.ts'
import { changedPart, changeState, onStateChange, readActivity, readState } from '../../state.ts'
import type { PopupRequest } from '../../wire.ts'

setLocale(navigator.language)

const { version, externally_connectable: connectable } = browser.runtime.getManifest()
const origin = productOrigin(connectable?.matches ?? [])

function part<Element extends HTMLElement = HTMLElement>(id: string): Element {
  return document.getElementById(id) as Element
}

async function draw() {
  const [state, activity] = await Promise.all([readState(), readActivity()])
  const { account, lastResult, paused, pairing, sendsInBackground, remote } = state
  const changed = changedPart(state)
  part('state').textContent = stateText({ ...state, changed: changed !== null, activity }, Date.now())

  part('changed').hidden = changed === null
  part('changed-part').textContent = changed
  part('stopped').hidden = activity.doing !== 'stopped'
  part('stopped-why').textContent = activity.doing === 'stopped' ? activity.error : null

  part('paired').textContent = pairing ? `${pairing.email} · ${pairing.workspaceName}` : 'Not paired'
  const accountText = account?.handle
    ? `Logged in as @${account.handle}`
    : account
      ? 'Not logged in'
      : 'Not detected yet'
  part('account').replaceChildren(accountText, ...(account?.handle ? [] : [' · ', link('https://x.com', 'Open x.com')]))
  part('today').textContent = usageText(remote)
  const cap = part<HTMLProgressElement>('cap')
  cap.hidden = !remote
  cap.max = remote?.dailyCap || 1
  cap.value = remote?.sentToday ?? 0
  const last = part('last')
  last.classList.toggle('bad', Boolean(lastResult?.error))
  last.textContent = lastResult ? resultText(lastResult, Date.now()) : 'None yet'

  part('pair').hidden = pairing !== null
  part('background-switch').hidden = pairing === null
  part('unpair').hidden = pairing === null
  part<HTMLInputElement>('background').checked = sendsInBackground
  part<HTMLInputElement>('sending').checked = !paused
  part('pause-hint').textContent = paused ? 'Paused. Nothing is sent.' : 'On. Queued messages can be sent.'
  const latest = remote?.latestVersion
  const update = latest && latest !== version ? [' · ', link(`${origin}/extension`, `Update to ${latest}`)] : []
  part('version').replaceChildren(`Version ${version}`, ...update)
}

function link(href: string, text: string): HTMLAnchorElement {
  const anchor = document.createElement('a')
  return Object.assign(anchor, { href, target: '_blank', rel: 'noopener', textContent: text })
}

const ask = (request: PopupRequest): Promise<ExtensionStatusReply> => browser.runtime.sendMessage(request)
const checked = (event: Event) => (event.currentTarget as HTMLInputElement).checked

part<HTMLAnchorElement>('open-product').href = `${origin}/extension`
part('sending').addEventListener('change', (event) => changeState({ paused: !checked(event) }))
part('background').addEventListener('change', (event) => changeState({ sendsInBackground: checked(event) }))
part('check').addEventListener('click', () => changeState({ pageChanged: null }))
part('try').addEventListener('click', () => ask({ popup: 'wake' }))
part('unpair').addEventListener('click', () => ask({ popup: 'unpair' }))
part('pair').addEventListener('submit', async (event) => {
  event.preventDefault()
  const code = part<HTMLInputElement>('code')
  if (code.value.trim() === '') return code.focus()
  part('pair-problem').textContent = null
  const reply = await ask({ popup: 'pair', code: code.value })
  part('pair-problem').textContent = reply.success ? null : reply.error
  if (reply.success) code.value = ''
})
onStateChange(draw)
draw()
// Have the background script refresh the product's data, which may be half a minute old.
ask({ popup: 'wake' })

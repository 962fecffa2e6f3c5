import { ago } from '../../ago.ts'
import { changedPart, changeState, onStateChange, readState } from '../../state.ts'

function part<Element extends HTMLElement = HTMLElement>(id: string): Element {
  return document.getElementById(id) as Element
}

async function draw() {
  const state = await readState()
  const { account, lastResult, paused } = state
  const now = Date.now()

  const changed = changedPart(state)
  part('changed').hidden = changed === null
  part('changed-part').textContent = changed

  const word = account?.handle ? `Signed in as @${account.handle}` : account ? 'Not signed in' : 'Not opened yet'
  part('account').replaceChildren(word, ...(account?.handle ? [] : [' · ', openX()]))

  const last = part('last')
  last.classList.toggle('bad', Boolean(lastResult?.error))
  last.textContent = lastResult
    ? `${lastResult.error ? `Not sent to @${lastResult.handle}` : `Sent to @${lastResult.handle}`}, ${ago(lastResult.at, now)}${lastResult.error ? `. ${lastResult.error}` : ''}`
    : 'None yet'

  part<HTMLInputElement>('sending').checked = !paused
  part('pause-hint').textContent = paused
    ? 'Paused: every message is refused'
    : 'On: a message goes out when you ask for it'
}

function openX(): HTMLAnchorElement {
  const link = document.createElement('a')
  link.href = 'https://x.com'
  link.target = '_blank'
  link.rel = 'noopener'
  link.textContent = 'Open x.com'
  return link
}

part<HTMLInputElement>('sending').addEventListener('change', (event) =>
  changeState({ paused: !(event.currentTarget as HTMLInputElement).checked }),
)
part('check').addEventListener('click', () => changeState({ pageChanged: null }))
onStateChange(draw)
draw()

import { ago } from '../../ago.ts'
import { changedPart, changeState, onStateChange, readState, type State } from '../../state.ts'

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
  last.textContent = lastResult ? resultWords(lastResult, now) : 'None yet'

  part<HTMLInputElement>('sending').checked = !paused
  part('pause-hint').textContent = paused ? 'Paused. Messages are refused.' : 'On. Messages go out as you start them.'
}

function resultWords({ handle, error, at }: NonNullable<State['lastResult']>, now: number): string {
  const when = ago(at, now)
  return error === null ? `Sent to @${handle}, ${when}` : `Not sent to @${handle}, ${when}. ${error}`
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

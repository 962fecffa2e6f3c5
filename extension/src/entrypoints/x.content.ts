import type { Pages } from '@x-automated/contract/outreach/extension-pages'
import { browser } from 'wxt/browser'
import { defineContentScript } from 'wxt/utils/define-content-script'
import type { Answer, Command, Notice } from '../wire.ts'
import { look, open, press, write } from '../x/conversation.ts'
import { usePages } from '../x/parts.ts'
import { check, meet, signedIn } from '../x/profile.ts'

export default defineContentScript({
  matches: ['https://x.com/*'],
  runAt: 'document_idle',
  main() {
    // The background script has already verified this page data.
    const ready = notifyBackground({ notice: 'here' }).then((pages) => pages && usePages(pages as Pages))
    browser.runtime.onMessage.addListener((command: Command, sender, reply) => {
      if (sender.id !== browser.runtime.id) return
      ready.then(() => execute(command)).then(reply)
      return true
    })
    ready.then(reportAccount)
  },
})

function execute(command: Command): Promise<Answer<Command['do']>> {
  switch (command.do) {
    case 'check':
      return check(command)
    case 'meet':
      return meet(command)
    case 'open':
      return open(command)
    case 'write':
      return write(command, command.message)
    case 'press':
      return press(command, command.message)
    case 'look':
      return look(command, command.message, command.atLeast)
  }
}

/** Reports the signed-in account to the background script. */
async function reportAccount() {
  const account = await signedIn()
  if ('handle' in account) notifyBackground({ notice: 'account', handle: account.handle })
  else if (account.code === 'NOT_SIGNED_IN') notifyBackground({ notice: 'account', handle: null })
}

/** @returns the background's reply, or undefined if the extension was updated or removed since the page loaded */
function notifyBackground(notice: Notice): Promise<unknown> {
  return browser.runtime.sendMessage(notice).catch(() => undefined)
}

/**
 * Every name by which the extension knows a part of X's page, and the only place where they stand. When X changes its
 * page, this file is what to mend. The `data-testid`s are X's own, as seen in 2026.
 */
export const PAGE = {
  /** Somebody is signed in. The second one's link leads to their profile. */
  signedIn: '[data-testid="SideNav_AccountSwitcher_Button"], [data-testid="AppTabBar_Profile_Link"]',
  ownProfile: 'a[data-testid="AppTabBar_Profile_Link"]',
  accountSwitcher: '[data-testid="SideNav_AccountSwitcher_Button"]',
  signedOut:
    '[data-testid="loginButton"], [data-testid="LoginForm_Login_Button"], a[href="/login"], a[href^="/i/flow/login"], input[autocomplete="username"]',
  loading: '[role="progressbar"]',
  /** 'Something went wrong. Try reloading.' */
  trouble: '[data-testid="error-detail"]',
} as const

/** Where X sends an account that has to confirm something first. */
export const LOCKED_PATHS = ['/account/access', '/i/flow/consent_flow']

export const PROFILE = {
  name: '[data-testid="UserName"]',
  /** 'This account doesn’t exist', 'Account suspended'. */
  nobody: '[data-testid="emptyState"]',
  /** What stands beside the message button on every profile. */
  actions:
    '[data-testid="userActions"], [data-testid$="-follow"], [data-testid$="-unfollow"], [data-testid="editProfileButton"]',
  /** Their `data-testid` begins with the person's id. */
  follow: '[data-testid$="-follow"], [data-testid$="-unfollow"]',
  message: '[data-testid="sendDMFromProfile"]',
  /** A message button under another name: then X has changed its page, and the inbox may well be open. */
  likeMessage:
    'a[href^="/messages"], a[href^="/i/chat"], [data-testid*="DM"], [data-testid*="essage"], [aria-label="Message"]',
} as const

/** The chat's passcode, which it asks for in a browser that it has not met. */
export const PASSCODE =
  '[data-testid="pin-code-input-container"], input[inputmode="numeric"][maxlength="1"][pattern="[0-9]*"]'

/** A conversation, in one of the forms that X has given it. */
export interface ConversationParts {
  panel: string
  composer: string
  sendButton: string
  entry: string
  /** Within an entry, its text; the first of these that is there. */
  entryText: readonly string[]
  /** The entry's attribute that says how far it is, where this form has one. */
  state: string | null
}

export const CONVERSATIONS: readonly ConversationParts[] = [
  {
    panel: '[data-testid="dm-conversation-panel"]',
    composer: '[data-testid="dm-composer-textarea"]',
    sendButton: '[data-testid="dm-composer-send-button"]',
    entry: '[data-dm-message-row]',
    entryText: ['span[dir="auto"].whitespace-pre-wrap', '[data-testid^="message-text-"]'],
    state: 'data-send-status',
  },
  {
    panel: '[data-testid="DmActivityViewport"], [data-testid="DmActivityContainer"]',
    composer: '[data-testid="dmComposerTextInput"]',
    sendButton: '[data-testid="dmComposerSendButton"]',
    entry: '[data-testid="messageEntry"]',
    entryText: ['[data-testid="tweetText"]'],
    state: null,
  },
]

export const CONVERSATION_PATH = /^\/(?:messages|i\/chat)\/(\d+-\d+)$/

/** Entry states in which X has taken the message, and those in which it has not. */
export const TAKEN = ['sent', 'delivered', 'read']
export const NOT_TAKEN = ['failed', 'error']

/** What X says when a message does not go out. */
export const REFUSAL = '[data-testid="toast"], [role="alert"]'

/** Who the conversation is with: their picture carries their handle. */
export const FACE_PREFIX = 'UserAvatar-Container-'

/** Any field to write in, whatever it is called. */
export const ANY_COMPOSER = 'textarea, [contenteditable="true"], [role="textbox"]'

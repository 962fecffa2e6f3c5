/**
 * Every selector for X's page. When X changes its page, only this file needs an update.
 * The `data-testid`s are X's own, as of 2026.
 */
export const PAGE = {
  /** Present if someone is signed in. The second element's link leads to their profile. */
  signedIn: '[data-testid="SideNav_AccountSwitcher_Button"], [data-testid="AppTabBar_Profile_Link"]',
  ownProfile: 'a[data-testid="AppTabBar_Profile_Link"]',
  accountSwitcher: '[data-testid="SideNav_AccountSwitcher_Button"]',
  signedOut:
    '[data-testid="loginButton"], [data-testid="LoginForm_Login_Button"], a[href="/login"], a[href^="/i/flow/login"], input[autocomplete="username"]',
  loading: '[role="progressbar"]',
  /** 'Something went wrong. Try reloading.' */
  trouble: '[data-testid="error-detail"]',
} as const

/** Paths where X asks an account to confirm something first. */
export const LOCKED_PATHS = ['/account/access', '/i/flow/consent_flow']

export const PROFILE = {
  name: '[data-testid="UserName"]',
  /** 'This account doesn’t exist', 'Account suspended'. */
  missing: '[data-testid="emptyState"]',
  /** Elements next to the message button on every profile. */
  actions:
    '[data-testid="userActions"], [data-testid$="-follow"], [data-testid$="-unfollow"], [data-testid="editProfileButton"]',
  /** Their `data-testid` starts with the person's id. */
  follow: '[data-testid$="-follow"], [data-testid$="-unfollow"]',
  message: '[data-testid="sendDMFromProfile"]',
  /**
   * A message button under another name. Then X has changed its page, and the inbox may be open.
   */
  likeMessage:
    'a[href^="/messages"], a[href^="/i/chat"], [data-testid*="DM"], [data-testid*="essage"], [aria-label="Message"]',
} as const

/** The chat passcode prompt, which X shows in new browsers. */
export const PASSCODE =
  '[data-testid="pin-code-input-container"], input[inputmode="numeric"][maxlength="1"][pattern="[0-9]*"]'

/** The selectors of one version of X's conversation page. */
export interface ConversationParts {
  panel: string
  composer: string
  sendButton: string
  entry: string
  /** Selectors for the text of an entry. The first match counts. */
  entryText: readonly string[]
  /** The attribute with the entry's delivery state, if this version has one. */
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

/** States of messages that X accepted, and of those it did not. */
export const TAKEN = ['sent', 'delivered', 'read']
export const NOT_TAKEN = ['failed', 'error']

/** Where X shows that a message was not sent. */
export const REFUSAL = '[data-testid="toast"], [role="alert"]'

/** Prefix of the avatar's id, which contains the handle of the other person. */
export const FACE_PREFIX = 'UserAvatar-Container-'

/** Any composer, whatever its name. */
export const ANY_COMPOSER = 'textarea, [contenteditable="true"], [role="textbox"]'

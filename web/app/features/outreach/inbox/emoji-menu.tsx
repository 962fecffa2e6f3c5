import { Smile } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useState } from 'react'
import { IconButton } from '../../../ui/button'
import { Popover } from '../../../ui/popover'

/** Emoji that are common in answers, with names for screen readers. */
const EMOJI =
  '👍 thumbs up,👎 thumbs down,👋 waving hand,🙌 raised hands,👏 clapping hands,🙏 folded hands,🤝 handshake,💪 biceps,👌 OK hand,🤞 crossed fingers,✌️ victory hand,🫡 salute,' +
  '😀 grinning,😄 smiling,😁 beaming,😂 tears of joy,😅 sweat smile,😊 blushing,🙂 slightly smiling,😉 winking,😍 heart eyes,🥰 smiling with hearts,🤩 star-struck,😎 sunglasses,' +
  '🤔 thinking,🤓 nerd,🤗 hugging,😇 halo,😏 smirking,😬 grimacing,🙃 upside-down,😮 surprised,🤯 exploding head,😴 sleeping,😢 crying,😭 loudly crying,' +
  '❤️ red heart,💛 yellow heart,💚 green heart,💙 blue heart,💜 purple heart,🖤 black heart,🔥 fire,✨ sparkles,⭐ star,🎉 party popper,🥳 party face,🎁 gift,' +
  '🚀 rocket,💯 hundred points,✅ check mark,❌ cross mark,⚡ lightning,💡 light bulb,🎯 bullseye,📈 rising chart,💰 money bag,📅 calendar,⏰ alarm clock,☕ coffee,' +
  '👀 eyes,📩 envelope,📞 telephone,🔗 link,📎 paperclip,📌 pin,🛠️ tools,🌍 globe,☀️ sun,🌱 seedling,🍕 pizza,🍻 beer mugs'

const COLUMNS = 8

interface EmojiMenuProps {
  /** The element that gets the focus afterwards. */
  textarea: RefObject<HTMLTextAreaElement | null>
  onPick: (emoji: string) => void
}

/** Emoji to insert. Arrow keys move between them. */
export function EmojiMenu({ textarea, onPick }: EmojiMenuProps) {
  const [open, setOpen] = useState(false)
  return (
    <Popover
      label="Emoji"
      open={open}
      onOpenChange={setOpen}
      finalFocus={textarea}
      trigger={<IconButton size="sm" label="Emoji" title="Emoji" icon={<Smile />} className="text-muted" />}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the buttons inside */}
      <div className="grid grid-cols-8" onKeyDown={moveFocus}>
        {EMOJI.split(',').map((entry, index) => {
          const [emoji = '', ...name] = entry.split(' ')
          return (
            <button
              key={emoji}
              type="button"
              tabIndex={index === 0 ? 0 : -1}
              aria-label={name.join(' ')}
              title={name.join(' ')}
              className="flex aspect-square items-center justify-center rounded-md text-lg -outline-offset-2 hover:bg-hover"
              onClick={() => {
                setOpen(false)
                onPick(emoji)
              }}
            >
              {emoji}
            </button>
          )
        })}
      </div>
    </Popover>
  )
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS }[event.key]
  if (!by) return
  event.preventDefault()
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  buttons[buttons.indexOf(event.target as HTMLButtonElement) + by]?.focus()
}

import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, type ButtonSize, type ButtonVariant } from './button'

interface CopyButtonProps {
  text: string
  label?: string
  size?: ButtonSize
  variant?: ButtonVariant
}

/** Copies `text`, then shows 'Copied!' for 2 seconds. */
export function CopyButton({ text, label = 'Copy', size, variant }: CopyButtonProps) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch (error) {
      // The browser blocked it. The text is next to the button, so logging the error is enough.
      console.warn('Could not write to the clipboard', error)
    }
  }
  return (
    <Button size={size} variant={variant} icon={copied ? <Check aria-hidden /> : <Copy aria-hidden />} onClick={copy}>
      <span aria-live="polite">{copied ? 'Copied!' : label}</span>
    </Button>
  )
}

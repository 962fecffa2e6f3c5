import type { ReactNode } from 'react'

/** In wide windows, such a column stays in view and has its own scroll bar. */
const IN_VIEW =
  'grid min-w-0 content-start gap-4 xl:sticky xl:self-start xl:top-[calc(var(--spacing-header)+1.5rem)] xl:max-h-[calc(100dvh-var(--spacing-header)-3.5rem)] xl:overflow-y-auto xl:pb-1'

interface BuilderColumnsProps {
  messages: ReactNode
  preview: ReactNode
  /** What follows from the messages: who gets them, and when. */
  outcome: ReactNode
}

/** Messages, their preview and their outcome, next to each other in wide windows. */
export function BuilderColumns({ messages, preview, outcome }: BuilderColumnsProps) {
  return (
    // The space is for the bar of actions.
    <div className="grid gap-8 max-md:pb-16 md:grid-cols-[minmax(0,1fr)_18rem] xl:grid-cols-[minmax(0,1fr)_17rem_16rem]">
      <div className="min-w-0">
        <h2 className="sr-only">Messages</h2>
        {messages}
      </div>
      <div className={IN_VIEW}>{preview}</div>
      <div className={`${IN_VIEW} md:max-xl:col-span-2 xl:[&>section]:border-t-0 xl:[&>section]:pt-0`}>{outcome}</div>
    </div>
  )
}

/** Leaves room in the top bar for the actions. */
export const BUILDER_HEADER = 'md:[&_.page-header]:pe-118!'

/**
 * The actions of a builder, after its fields. In wide windows they are in the top bar, on phones in a
 * bar above the tabs.
 */
export function BuilderActions({ children }: { children: ReactNode }) {
  return (
    <div className="builder-actions fixed z-31 flex items-center justify-end gap-2 max-md:inset-x-0 max-md:bottom-[var(--spacing-tab-bar)] max-md:z-20 max-md:border-t max-md:border-line max-md:bg-surface max-md:px-3 max-md:py-2 max-sm:[&>*]:px-2.5 max-[22.5rem]:gap-1 max-[22.5rem]:[&>*]:px-1.5 max-[22.5rem]:[&>*]:text-xs">
      {children}
    </div>
  )
}
